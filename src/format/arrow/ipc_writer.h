// Writes Arrow's IPC file format.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "sheaf/extend/arrow_node.h"
#include "sheaf/extend/byte_sink.h"

#include "format/arrow/flat_builder.h"

namespace sheaf::arrow {

/// Writes an uncompressed file with metadata of version V5. The buffers of all batches begin at
/// multiples of 64 bytes of the file. The same arrays give the same bytes.
///
/// Lifetime: the sink must outlive the writer.
class IpcWriter {
 public:
  /// Begins the file. `schema` is a struct, whose children are the columns. Their buffers are not
  /// read.
  ///
  /// Throws: InternalError for types that are not written (schema_draft()); IoError. The next
  ///         functions also throw IoError.
  IpcWriter(ByteSink& sink, const ArrowNode& schema);

  /// Writes a batch: a struct with arrays of the schema's types.
  ///
  /// Pre: the offsets of lists and texts are right.
  void add(const ArrowNode& batch);

  /// Writes the footer. Call this once, at the end. The caller calls ByteSink::finish().
  void finish();

  /// Returns the number of bytes written.
  [[nodiscard]] std::int64_t size_bytes() const noexcept { return size_bytes_; }

 private:
  // Returns the number of bytes of the message before its body.
  std::int64_t write_message(std::uint8_t kind, const FlatDraft& header, std::int64_t body_bytes);
  void write(std::span<const std::byte> bytes);
  void write(const std::string& bytes);
  void write_zeros(std::int64_t count);

  ByteSink& sink_;
  const FlatDraft schema_;
  std::int64_t size_bytes_ = 0;
  std::int64_t batch_count_ = 0;
  std::string blocks_;  // locations of the batches, in the form of the footer
};

}  // namespace sheaf::arrow
