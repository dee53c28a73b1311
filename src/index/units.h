// Units: the least that is read for itself.

#pragma once

#include <cstdint>

#include "sheaf/extend/index.h"

#include "base/unit_size.h"

namespace sheaf::internal {

/// Returns how many units a chunk is cut into: as many as its bytes take of unit_size_bytes(), no
/// more than it has sequences, and at least one.
[[nodiscard]] std::int64_t unit_count(std::int64_t chunk_size_bytes,
                                      std::int64_t sequence_count) noexcept;

/// The units of a chunk, as ChunkCounts cuts them. The reader reads by them; formats keep a hash
/// for each.
class Units {
 public:
  /// Pre: 1 <= count, and count <= sequence_count unless that is 0.
  Units(std::int64_t sequence_count, std::int64_t count) noexcept
      : sequence_count_(sequence_count), count_(count) {}

  explicit Units(const ChunkInfo& chunk) noexcept
      : Units(chunk.sequence_count, unit_count(chunk.size_bytes, chunk.sequence_count)) {}

  [[nodiscard]] std::int64_t count() const noexcept { return count_; }

  /// The number of a unit's first sequence; for the number behind the last unit, that of sequences.
  ///
  /// Pre: 0 <= unit <= count().
  [[nodiscard]] std::int64_t first(std::int64_t unit) const noexcept;

  /// The unit that a sequence lies in.
  ///
  /// Pre: 0 <= sequence < the number of sequences.
  [[nodiscard]] std::int64_t of(std::int64_t sequence) const noexcept;

 private:
  std::int64_t sequence_count_;
  std::int64_t count_;
};

}  // namespace sheaf::internal
