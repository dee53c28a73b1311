/// \file
/// What the reader knows of a range of a chunk: its rows of the index, and its units.

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

/// Whether a range is all of its chunk, by the name that is_whole() ranges have in the reader.
[[nodiscard]] constexpr bool is_whole(const ChunkRange& range) noexcept {
  return range.first == 0 && range.count == ChunkRange::kAll;
}

/// What the index says of a chunk that a sequencer named.
///
/// Throws: InternalError where the index does not have it; what the index throws.
[[nodiscard]] ChunkInfo named_chunk(const Index& index, ChunkIndex chunk);

/// Check a range of a chunk, and name it as the reader names ranges: one that has all sequences of
/// its chunk is_whole(), any other one says how many it has.
///
/// Throws: InternalError where the chunk has no such sequences.
[[nodiscard]] ChunkRange named_range(const ChunkInfo& chunk, const ChunkRange& range);

/// Consecutive sequences of a chunk, by their numbers within the chunk: [first, end).
struct SequenceSpan {
  std::int64_t first = 0;
  std::int64_t end = 0;

  [[nodiscard]] constexpr std::int64_t count() const noexcept { return end - first; }

  friend auto operator<=>(const SequenceSpan&, const SequenceSpan&) = default;  // NOLINT: no null
};

/// How much of the source is read at once: one sequence; as much as the index has a hash for; or
/// more, where memory is no matter, so that fewer units are to be found, waited for and let go.
enum class UnitSize : std::uint8_t { one, small, large };

/// Consecutive sequences of a chunk that are held together, cut into units: those of the chunk,
/// cut at the ends of the range. The cut is a function of the index and the size alone.
class RangeCut {
 public:
  /// A whole chunk shares the index's table; a part of one keeps a copy of its rows.
  ///
  /// Pre:    `range` is one that named_range() gave.
  /// Throws: what the index throws.
  RangeCut(const Index& index, const ChunkRange& range, UnitSize size = UnitSize::small);

  /// The same, cut into units that begin where something says, and that take `held_bytes`, where
  /// this is not null.
  ///
  /// Pre:      `begins` are ascending, from 0 on, and numbers of the chunk's sequences. There are
  /// as
  ///           many `held_bytes`.
  /// Lifetime: `begins` and `held_bytes` must outlive the cut.
  RangeCut(const Index& index, const ChunkRange& range, UnitBegins begins,
           UnitSizes held_bytes = nullptr);

  [[nodiscard]] const ChunkRange& range() const noexcept { return range_; }
  [[nodiscard]] ChunkIndex chunk() const noexcept { return range_.chunk; }

  /// Its sequences, by their numbers within the chunk: [first, end).
  [[nodiscard]] std::int64_t first() const noexcept { return range_.first; }
  [[nodiscard]] std::int64_t end() const noexcept { return end_; }

  /// What the index says of a sequence.
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

  /// The sample count that all sequences share; nothing where counts differ.
  [[nodiscard]] const std::optional<std::int64_t>& constant_sample_count() const noexcept {
    return constant_sample_count_;
  }

  /// The sequences of the unit that has a sequence, as far as the unit lies in the range.
  [[nodiscard]] SequenceSpan unit_at(std::int64_t sequence) const noexcept;

  /// Whether units are as they were decoded while the index was made.
  [[nodiscard]] bool is_decoded() const noexcept { return begins_ != nullptr; }

  /// About how much memory consecutive sequences take when decoded: their share of the chunk's, by
  /// bytes of the source.
  ///
  /// Pre: they lie in the range.
  [[nodiscard]] std::int64_t decoded_bytes(std::int64_t first, std::int64_t count) const noexcept;

  /// About how much memory they take when they are held: as decoded_bytes(), but for units whose
  /// size is known.
  ///
  /// Pre: they lie in the range.
  [[nodiscard]] std::int64_t held_bytes(std::int64_t first, std::int64_t count) const noexcept;

  /// About how much it is to read them: their bytes of the source, or decoded where those are more.
  /// Made-up data have no source.
  ///
  /// Pre: they lie in the range.
  [[nodiscard]] std::int64_t bytes_to_read(std::int64_t first, std::int64_t count) const noexcept {
    const std::int64_t source =
        info_.size_bytes > 0 ? offset(first + count) - offset(first) : std::int64_t{0};
    return std::max(source, decoded_bytes(first, count));
  }

  /// About how much memory a sequence of the chunk takes when decoded, on average.
  [[nodiscard]] double bytes_per_sequence() const noexcept { return bytes_per_sequence_; }

  /// About how much memory it takes to read them beyond the buffer that each read has: where they
  /// have more text than units have, it may be one row, and that is there as a whole.
  ///
  /// Pre: they lie in the range.
  [[nodiscard]] std::int64_t long_text_bytes(std::int64_t first, std::int64_t count) const noexcept;

  /// About how much memory it takes to know so many of its sequences: their share of the rows that
  /// it keeps. Nothing for a whole chunk, whose rows are the index's.
  [[nodiscard]] std::int64_t row_bytes(std::int64_t count) const noexcept;

  /// Returns how much memory the rows take, the index's or its own.
  [[nodiscard]] std::int64_t table_bytes() const noexcept { return table_->size_bytes(); }

 private:
  RangeCut(const Index& index, const ChunkRange& range, UnitSize size, UnitBegins begins,
           UnitSizes held_bytes);
  [[nodiscard]] std::int64_t offset(std::int64_t sequence) const noexcept;

  ChunkRange range_;
  std::int64_t end_;
  ChunkInfo info_;
  Units units_;
  UnitBegins begins_;                 // not null: where units begin, instead of `units_`
  UnitSizes held_bytes_;              // not null: of these units
  std::int64_t unit_text_max_bytes_;  // more is that of a very long sequence
  std::shared_ptr<const SequenceTable> table_;
  std::int64_t table_first_ = 0;                       // sequence of the table's first row
  std::int64_t end_offset_bytes_ = 0;                  // of the range, within the chunk
  double bytes_per_row_ = 0;                           // held
  double bytes_per_sequence_ = 0;                      // of the chunk, decoded
  std::optional<std::int64_t> constant_sample_count_;  // of each sequence, where all are equal
  std::optional<PackedInts::Line> key_line_;           // of the table's rows: numbers in a row, say
};

}  // namespace sheaf::internal
