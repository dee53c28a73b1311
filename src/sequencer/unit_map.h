/// \file
/// All units of a data set in a line.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sheaf/extend/counts.h"

namespace sheaf::internal {

/// Numbers all units of a data set in file order. An order moves these units as a whole.
///
/// The units are the units of the chunks. If there are too few of them, each is divided into equal
/// parts, down to single sequences.
///
/// Memory: 24 bytes for each chunk.
class UnitMap {
 public:
  static constexpr std::int64_t kPartsMin = 4096;

  /// Makes at least `units_min` units, if there are that many sequences. A chunk without sequences,
  /// such as one whose sequences are all left out, has no units.
  ///
  /// Throws: the exceptions of Counts; InternalError if a chunk has several units without
  ///         sequences.
  explicit UnitMap(const Counts& counts, std::int64_t units_min = kPartsMin);

  [[nodiscard]] std::int64_t chunk_count() const noexcept { return std::ssize(chunks_); }
  [[nodiscard]] std::int64_t unit_count() const noexcept { return unit_count_; }
  [[nodiscard]] std::int64_t sequence_count() const noexcept { return sequence_count_; }
  [[nodiscard]] std::int64_t sample_count() const noexcept { return sample_count_; }

  /// Returns the sequences of a unit.
  ///
  /// Pre: 0 <= unit < unit_count().
  [[nodiscard]] ChunkRange unit(std::int64_t unit) const noexcept;

  /// Returns the number of sequences of a chunk.
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
  std::int64_t chunks_a_unit_ = 0;  // times 2^32
};

}  // namespace sheaf::internal
