/// \file
/// The data as a row of units.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sheaf/extend/counts.h"

namespace sheaf::internal {

/// All units of a data set, numbered in the order of the file: what an order moves as a whole.
///
/// They are the units of the chunks; or equal parts of those, where there are too few together,
/// down to single sequences.
///
/// Memory: 24 bytes for each chunk.
class UnitMap {
 public:
  static constexpr std::int64_t kPartsMin = 4096;

  /// Makes at least `units_min` units, if there are so many sequences. A chunk without sequences,
  /// such as one whose sequences are all left out, has no units.
  ///
  /// Throws: what Counts throws; InternalError where a chunk has several units without sequences.
  explicit UnitMap(const Counts& counts, std::int64_t units_min = kPartsMin);

  [[nodiscard]] std::int64_t chunk_count() const noexcept { return std::ssize(chunks_); }
  [[nodiscard]] std::int64_t unit_count() const noexcept { return unit_count_; }
  [[nodiscard]] std::int64_t sequence_count() const noexcept { return sequence_count_; }
  [[nodiscard]] std::int64_t sample_count() const noexcept { return sample_count_; }

  /// The sequences of a unit.
  ///
  /// Pre: 0 <= unit < unit_count().
  [[nodiscard]] ChunkRange unit(std::int64_t unit) const noexcept;

  /// Sequences of a chunk.
  ///
  /// Pre: the chunk exists.
  [[nodiscard]] std::int64_t sequence_count(ChunkIndex chunk) const noexcept {
    return chunks_[static_cast<std::size_t>(chunk)].sequence_count;
  }

 private:
  struct ChunkUnits {
    std::int64_t first_unit = 0;
    std::int64_t unit_count = 0;
    std::int64_t sequence_count = 0;
  };

  [[nodiscard]] std::size_t chunk_of(std::int64_t unit) const noexcept;

  std::vector<ChunkUnits> chunks_;
  std::int64_t unit_count_ = 0;
  std::int64_t sequence_count_ = 0;
  std::int64_t sample_count_ = 0;
  std::int64_t chunks_a_unit_ = 0;  // in parts of 2^-32
};

}  // namespace sheaf::internal
