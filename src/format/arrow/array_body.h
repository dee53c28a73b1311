// Builds the body of a record batch for writing.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/arrow_node.h"
#include "sheaf/extend/buffer.h"

#include "format/arrow/flat_builder.h"
#include "format/arrow/offset_checks.h"

namespace sheaf::arrow {

/// The buffers of a batch of rows. A buffer has only the values that belong to the array's part, so
/// the offsets of lists and texts begin with 0.
///
/// Lifetime: the arrays must outlive the ArrayBody.
class ArrayBody {
 public:
  static constexpr std::int64_t kAlignment = 64;  // of each buffer in the body

  /// Pre: `rows` is a struct. Its children are arrays of types that schema_draft() can write, with
  ///      as many values as the struct has rows.
  explicit ArrayBody(const ArrowNode& rows);

  /// Returns a RecordBatch of Message.fbs.
  [[nodiscard]] FlatDraft draft() const;

  [[nodiscard]] std::int64_t size_bytes() const noexcept { return size_bytes_; }

  /// Returns the buffers, one after the other. Zeros pad each to a multiple of kAlignment.
  [[nodiscard]] std::span<const std::span<const std::byte>> buffers() const noexcept {
    return buffers_;
  }

 private:
  void add(const ArrowNode& node, ValueRange values);
  void add_validity(const ArrowNode& node, ValueRange values);
  [[nodiscard]] const std::byte* copied_bits(const void* bits, ValueRange values);
  void add_fixed(const ArrowNode& node, ValueRange values, std::int64_t width);
  ValueRange add_offsets(const ArrowNode& node, ValueRange values, std::int64_t width);
  void add_buffer(const std::byte* data, std::int64_t size);
  std::byte* owned(std::int64_t size);

  std::int64_t row_count_;
  std::int64_t size_bytes_ = 0;
  std::string nodes_;      // pairs of numbers
  std::string locations_;  // pairs of numbers, of the buffers
  std::int64_t node_count_ = 0;
  std::vector<std::span<const std::byte>> buffers_;
  std::vector<Buffer> owned_;
};

}  // namespace sheaf::arrow
