// Reads the metadata of messages in Arrow's IPC formats.
//
// Source: https://github.com/apache/arrow/blob/main/format/Message.fbs.

#pragma once

#include <cstdint>
#include <optional>

#include "format/arrow/flatbuffer.h"
#include "format/arrow/ipc_schema.h"

namespace sheaf::arrow {

/// The content of a message. The values are those of the union MessageHeader.
enum class IpcKind : std::uint8_t { schema = 1, dictionary = 2, batch = 3 };

/// How the buffers of a body are compressed.
enum class IpcCodec : std::uint8_t { none, lz4, zstd };

struct IpcMessage {
  IpcKind kind = IpcKind::schema;
  std::int16_t version = 0;
  std::int64_t body_bytes = 0;
  FlatTable header;
};

/// Reads the metadata of a message.
///
/// Throws: DataError, also for versions other than V4 and V5, and for tensors.
[[nodiscard]] IpcMessage read_message(const FlatBytes& metadata);

/// Throws: DataError unless the version is V4 or V5. `bytes` give the location.
void check_version(const FlatBytes& bytes, std::int16_t version);

/// A node or a buffer of a record batch.
struct IpcPair {
  std::int64_t first = 0;     // the length, or the offset within the body
  std::int64_t second = 0;    // the null count, or the size in bytes
  std::int64_t location = 0;  // offset in the file
};

/// The nodes and buffers of a record batch, or of a batch of a dictionary.
///
/// Lifetime: that of the metadata.
class IpcBatchHeader {
 public:
  /// Pre:    `table` is a RecordBatch of Message.fbs.
  /// Throws: DataError unless the batch has as many nodes and buffers as `all`, a number of rows,
  ///         and a known compression or none.
  IpcBatchHeader(const FlatTable& table, const IpcCounts& all, std::int64_t body_bytes);

  [[nodiscard]] const ByteSource& file() const noexcept { return *file_; }
  [[nodiscard]] std::int64_t row_count() const noexcept { return row_count_; }
  [[nodiscard]] IpcCodec codec() const noexcept { return codec_; }

  /// Returns the length and the null count of an array.
  ///
  /// Pre:    the field is one of those counted in `all`.
  /// Throws: DataError if they are impossible.
  [[nodiscard]] IpcPair node(const IpcField& field) const;

  /// Returns the location of a buffer. The field's first buffer has the number 0.
  ///
  /// Pre:    the field has the buffer. The bytes of views come after the other buffers.
  /// Throws: DataError if the buffer is not within the body.
  [[nodiscard]] IpcPair buffer(const IpcField& field, std::int64_t number) const;

  /// Returns the number of buffers with the bytes of a field's views, or 0 for other fields.
  [[nodiscard]] std::int64_t view_buffer_count(const IpcField& field) const;

 private:
  const ByteSource* file_;
  std::int64_t row_count_;
  std::int64_t body_bytes_;
  IpcCodec codec_;
  FlatVector nodes_;
  FlatVector buffers_;
  std::vector<std::int64_t> view_buffers_;  // before each field with views; then the number of all
};

/// Returns the number of rows of a RecordBatch of Message.fbs.
///
/// Throws: DataError.
[[nodiscard]] std::int64_t row_count_of(const FlatTable& batch);

/// Returns the compression of a RecordBatch's buffers.
///
/// Throws: DataError if the compression is unknown.
[[nodiscard]] IpcCodec codec_of(const FlatTable& batch);

/// A batch of values of a dictionary.
struct IpcDictionaryHeader {
  std::int64_t id = 0;
  bool is_delta = false;
  FlatTable batch;  // a RecordBatch of one column
};

/// Pre:    `table` is a DictionaryBatch of Message.fbs.
/// Throws: DataError.
[[nodiscard]] IpcDictionaryHeader read_dictionary_header(const FlatTable& table);

}  // namespace sheaf::arrow
