// The rows of a table to write: sequences, gathered stream by stream.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/arrow_node.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/types.h"

namespace sheaf::arrow {

/// The rows of one stream, one after the other.
class StreamRows {
 public:
  explicit StreamRows(const Stream& stream);

  /// Adds a sequence. Returns the bytes that the sequence takes.
  std::int64_t add(const SequenceView& view);

  /// Adds rows of the same stream.
  void add(const StreamRows& other, std::int64_t first, std::int64_t count);

  /// Returns the rows as an Arrow array: a list of samples for each row, and a null for each row
  /// without the stream.
  ///
  /// Lifetime: the rows must outlive the array and must not change.
  [[nodiscard]] ArrowNode node(const Stream& stream) const;

  [[nodiscard]] std::int64_t memory_bytes() const noexcept;
  void clear();

 private:
  [[nodiscard]] ArrowNode samples(const Stream& stream) const;

  std::int64_t value_size_ = 0;
  std::int64_t index_size_ = 0;         // 0 if dense
  std::int64_t values_per_sample_ = 0;  // 0 if samples differ in size
  std::string values_;
  std::string indices_;
  std::vector<std::int64_t> sample_ends_ = {0};  // in values, if samples differ in size
  std::vector<std::int64_t> row_ends_ = {0};     // in samples
  std::vector<std::uint8_t> present_;            // a bit for each row
  std::int64_t absent_count_ = 0;
};

/// The keys of rows: numbers, or texts.
struct KeyRows {
  /// Returns the keys as an Arrow array, with metadata that mark the column.
  ///
  /// Lifetime: the keys must outlive the array and must not change.
  [[nodiscard]] ArrowNode node(bool are_texts) const;

  void add(const KeyRows& other, std::int64_t first, std::int64_t count);
  void clear();
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

  std::vector<std::uint64_t> numbers;
  std::string texts;
  std::vector<std::int64_t> text_ends = {0};
};

/// The rows of all streams, with their keys.
struct TableRows {
  explicit TableRows(std::span<const Stream> streams);

  /// Adds rows of the same streams.
  void add(const TableRows& other, std::int64_t first, std::int64_t number);
  void clear();

  /// Returns all rows as an array of structs. The keys come first, unless `has_keys` is false.
  ///
  /// Lifetime: as for StreamRows::node().
  [[nodiscard]] ArrowNode node(std::span<const Stream> wanted, bool has_keys, bool are_texts) const;

  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

  KeyRows keys;
  std::vector<StreamRows> streams;
  std::vector<std::int64_t> sizes;  // bytes of each row
  std::int64_t count = 0;
};

}  // namespace sheaf::arrow
