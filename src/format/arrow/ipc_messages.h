// Finds the messages of a file.
//
// A stream is a sequence of messages: a schema, then batches of rows and of dictionaries. A file
// has the same messages between two marks, and a footer with the locations of the batches.
//
// Source: https://arrow.apache.org/docs/format/Columnar.html, "Serialization and Interprocess
//         Communication (IPC)".

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/format.h"

#include "format/arrow/ipc_message.h"
#include "format/arrow/ipc_schema.h"

namespace sheaf::arrow {

/// A message with a batch of rows.
struct IpcLocation {
  std::int64_t offset = 0;  // in the file
  std::int64_t body_bytes = 0;
  std::int64_t row_count = 0;
  std::int32_t metadata_bytes = 0;
  std::int32_t prefix_bytes = 0;         // bytes before the metadata: their size, and a mark
  std::int64_t dictionaries_before = 0;  // number of dictionary batches that apply to the rows

  [[nodiscard]] std::int64_t metadata_offset() const noexcept { return offset + prefix_bytes; }
  [[nodiscard]] std::int64_t body_offset() const noexcept {
    return metadata_offset() + metadata_bytes;
  }
  [[nodiscard]] std::int64_t end() const noexcept { return body_offset() + body_bytes; }
};

/// A message with a batch of values of a dictionary.
struct IpcDictionaryLocation {
  IpcLocation location = {};
  std::int64_t id = 0;
  bool is_delta = false;
};

/// The combined metadata of all messages.
struct IpcFile {
  IpcSchema schema = {};
  std::vector<IpcLocation> batches = {};
  std::vector<IpcDictionaryLocation> dictionaries = {};
  bool is_stream = false;
  bool is_compressed = false;  // whether any batch of rows is compressed
};

/// Finds all messages of a file or a stream.
///
/// Throws: DataError, IoError.
/// Cost:   a read of 4 KiB for each message, or for several messages that lie close.
[[nodiscard]] IpcFile find_messages(const ByteSource& source);

/// Returns whether a file begins like an Arrow file of either format, or of Feather version 1.
[[nodiscard]] Recognition looks_like_ipc(std::string_view first_bytes) noexcept;

/// The metadata of one message, read again.
class IpcMetadata {
 public:
  /// Throws: DataError, IoError.
  IpcMetadata(const ByteSource& source, const IpcLocation& location);

  /// Lifetime: that of the IpcMetadata.
  ///
  /// Throws: DataError if the message is of another kind.
  [[nodiscard]] FlatTable header(IpcKind kind) const;

 private:
  std::vector<std::byte> bytes_;
  FlatBytes flat_;
};

}  // namespace sheaf::arrow
