// Units of chunks. A unit is the least that is read for itself.

#pragma once

#include <cstdint>

#include "sheaf/extend/index.h"

#include "base/unit_size.h"

namespace sheaf::internal {

/// Returns how many units a chunk is cut into: its size divided by unit_size_bytes(), at most one
/// for each sequence, and at least one.
[[nodiscard]] std::int64_t unit_count(std::int64_t chunk_size_bytes,
                                      std::int64_t sequence_count) noexcept;

/// The units of a chunk, cut as in ChunkCounts. The reader reads unit by unit, and formats keep a
/// hash for each unit.
class Units {
 public:
  /// Pre: 1 <= count. count <= sequence_count, unless sequence_count is 0.
  Units(std::int64_t sequence_count, std::int64_t count) noexcept
      : sequence_count_(sequence_count), count_(count) {}

  explicit Units(const ChunkInfo& chunk) noexcept
      : Units(chunk.sequence_count, unit_count(chunk.size_bytes, chunk.sequence_count)) {}

  [[nodiscard]] std::int64_t count() const noexcept { return count_; }

  /// Returns the number of a unit's first sequence. For the number behind the last unit, returns
  /// the number of sequences.
  ///
  /// Pre: 0 <= unit <= count().
  [[nodiscard]] std::int64_t first(std::int64_t unit) const noexcept;

  /// Returns the unit that a sequence lies in.
  ///
  /// Pre: 0 <= sequence < the number of sequences.
  [[nodiscard]] std::int64_t of(std::int64_t sequence) const noexcept;

 private:
  std::int64_t sequence_count_;
  std::int64_t count_;
};

}  // namespace sheaf::internal
