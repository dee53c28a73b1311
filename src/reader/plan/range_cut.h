/// \file
/// A range of a chunk: its part of the index, and its units.

#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sheaf/extend/counts.h"
#include "sheaf/extend/index.h"
#include "sheaf/types.h"

#include "index/units.h"
#include "reader/fetch/decoded_ranges.h"

namespace sheaf::internal {

/// Returns whether a range is its whole chunk. The range must be named as named_range() does.
[[nodiscard]] constexpr bool is_whole(const ChunkRange& range) noexcept {
  return range.first == 0 && range.count == ChunkRange::kAll;
}

/// Returns the index entry of a chunk that a sequencer named.
///
/// Throws: InternalError if the index does not have the chunk; what the index throws.
[[nodiscard]] ChunkInfo named_chunk(const Index& index, ChunkIndex chunk);

/// Checks a range of a chunk, and returns the canonical form that the reader uses: a range with all
/// sequences of its chunk is_whole(), and any other range has the exact count.
///
/// Throws: InternalError if the chunk does not have the sequences.
[[nodiscard]] ChunkRange named_range(const ChunkInfo& chunk, const ChunkRange& range);

/// Consecutive sequences of a chunk, by their numbers within the chunk: [first, end).
struct SequenceSpan {
  std::int64_t first = 0;
  std::int64_t end = 0;

  [[nodiscard]] constexpr std::int64_t count() const noexcept { return end - first; }

  friend auto operator<=>(const SequenceSpan&, const SequenceSpan&) = default;  // NOLINT: no null
};

/// How much of the source is read at once. `one`: one sequence. `small`: a unit of the index.
/// `large`: more, if memory is plentiful, so that there are fewer units to look up, wait for and
/// drop.
enum class UnitSize : std::uint8_t { one, small, large };

/// Consecutive sequences of a chunk that are held together, divided into units: the units of the
/// chunk, clipped to the range. The division depends only on the index and the size.
class RangeCut : public std::enable_shared_from_this<RangeCut> {
 public:
  /// A whole chunk shares the table of the index. A part of a chunk copies its part of the table.
  ///
  /// Pre:    `range` is a result of named_range().
  /// Throws: what the index throws.
  RangeCut(const Index& index, const ChunkRange& range, UnitSize size = UnitSize::small);

  /// The same, divided into units that begin at `begins`. The units take `held_bytes`, if not null.
  ///
  /// Pre:      `begins` are ascending numbers of the chunk's sequences, and the first one is 0.
  ///           `held_bytes` has one size for each of them.
  /// Lifetime: `begins` and `held_bytes` must outlive the cut.
  RangeCut(const Index& index, const ChunkRange& range, UnitBegins begins,
           UnitSizes held_bytes = nullptr);

  [[nodiscard]] const ChunkRange& range() const noexcept { return range_; }
  [[nodiscard]] ChunkIndex chunk() const noexcept { return range_.chunk; }

  /// Returns the sequences as numbers within the chunk: [first, end).
  [[nodiscard]] std::int64_t first() const noexcept { return range_.first; }
  [[nodiscard]] std::int64_t end() const noexcept { return end_; }

  /// Returns the key and the sample count of a sequence from the index.
  ///
  /// Pre: first() <= sequence < end(), here and below.
  [[nodiscard]] SequenceKey key(std::int64_t sequence) const noexcept {
    const std::int64_t row = sequence - table_first_;
    if (!key_line_) return table_->key(row);
    return {static_cast<std::uint64_t>(key_line_->first) +
            static_cast<std::uint64_t>(row) * static_cast<std::uint64_t>(key_line_->step)};
  }
  [[nodiscard]] std::int64_t sample_count(std::int64_t sequence) const noexcept {
    return table_->sample_count(sequence - table_first_);
  }

  /// Returns the cost of a sequence, as Index::costs().
  ///
  /// Pre: as above; the index declares costs.
  [[nodiscard]] std::int64_t cost(std::int64_t sequence) const noexcept {
    const SequenceTable::RareColumns* const rare = table_->columns().rare.get();
    if (rare != nullptr && rare->costs.size() > 0) return rare->costs[sequence - table_first_];
    return offset(sequence + 1) - offset(sequence);
  }

  /// Returns the sample count that all sequences share; nothing if counts differ.
  [[nodiscard]] const std::optional<std::int64_t>& constant_sample_count() const noexcept {
    return constant_sample_count_;
  }

  /// Returns the number of the unit that has a sequence, within the chunk.
  [[nodiscard]] std::int64_t unit_number(std::int64_t sequence) const noexcept;

  /// Returns a unit, clipped to the range.
  ///
  /// Pre: `number` is a result of unit_number().
  [[nodiscard]] SequenceSpan unit(std::int64_t number) const noexcept;

  /// Returns the unit that has a sequence, clipped to the range.
  [[nodiscard]] SequenceSpan unit_at(std::int64_t sequence) const noexcept {
    return unit(unit_number(sequence));
  }

  /// Returns whether reading a part of a unit costs less than reading the unit.
  [[nodiscard]] bool reads_parts() const noexcept { return reads_parts_; }

  /// Returns whether the units were decoded while the index was built.
  [[nodiscard]] bool is_decoded() const noexcept { return begins_ != nullptr; }

  /// Returns roughly how much memory consecutive sequences take when decoded: their share of the
  /// chunk's memory, by bytes of the source.
  ///
  /// Pre: the sequences lie in the range.
  [[nodiscard]] std::int64_t decoded_bytes(std::int64_t first, std::int64_t count) const noexcept;

  /// Returns roughly how much memory consecutive sequences take when held. Like decoded_bytes(),
  /// but uses the known sizes of units.
  ///
  /// Pre: the sequences lie in the range.
  [[nodiscard]] std::int64_t held_bytes(std::int64_t first, std::int64_t count) const noexcept;

  /// Returns roughly how many bytes reading consecutive sequences takes: their bytes of the source,
  /// or their decoded size if that is larger, as for generated data without a source.
  ///
  /// Pre: the sequences lie in the range.
  [[nodiscard]] std::int64_t bytes_to_read(std::int64_t first, std::int64_t count) const noexcept {
    const std::int64_t source =
        info_.size_bytes > 0 ? offset(first + count) - offset(first) : std::int64_t{0};
    return std::max(source, decoded_bytes(first, count));
  }

  /// Returns roughly how much memory a sequence of the chunk takes when decoded, on average.
  [[nodiscard]] double bytes_per_sequence() const noexcept { return bytes_per_sequence_; }

  /// Returns roughly how much memory reading consecutive sequences takes besides the buffer of each
  /// read. If the sequences have more text than usual units, all of it may be one text row, which
  /// is in memory as a whole.
  ///
  /// Pre: the sequences lie in the range.
  [[nodiscard]] std::int64_t long_text_bytes(std::int64_t first, std::int64_t count) const noexcept;

  /// Returns roughly how much memory the table takes for `count` sequences. Returns 0 for a whole
  /// chunk, which shares the table of the index.
  [[nodiscard]] std::int64_t row_bytes(std::int64_t count) const noexcept;

  /// Returns how much memory the table takes, shared or not.
  [[nodiscard]] std::int64_t table_bytes() const noexcept { return table_->size_bytes(); }

 private:
  RangeCut(const Index& index, const ChunkRange& range, UnitSize size, UnitBegins begins,
           UnitSizes held_bytes);
  [[nodiscard]] std::int64_t offset(std::int64_t sequence) const noexcept;

  ChunkRange range_;
  std::int64_t end_;
  ChunkInfo info_;
  Units units_;
  UnitBegins begins_;                 // if not null, replaces `units_`
  UnitSizes held_bytes_;              // may be null; sizes of the units of `begins_`
  double units_per_sequence_ = 0;     // of `begins_`, on average
  bool reads_parts_;                  // Index::reads_parts()
  std::int64_t unit_text_max_bytes_;  // more text belongs to a very long sequence
  std::shared_ptr<const SequenceTable> table_;
  std::int64_t table_first_ = 0;                       // number of the table's first sequence
  std::int64_t end_offset_bytes_ = 0;                  // end of the range, within the chunk
  double bytes_per_row_ = 0;                           // memory of the table for each sequence
  double bytes_per_sequence_ = 0;                      // average decoded size in the chunk
  std::optional<std::int64_t> constant_sample_count_;  // set if all sequences have the same count
  std::optional<PackedInts::Line> key_line_;           // set if keys are evenly spaced
};

}  // namespace sheaf::internal
