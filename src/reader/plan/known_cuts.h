/// \file
/// A cache of the units that the planner used last.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sheaf/types.h"

#include "reader/plan/range_cut.h"

namespace sheaf::internal {

/// Caches units of one plan, to find the unit of a sequence without a search. A random order uses
/// the same units again and again.
///
/// Cost: compares with four entries.
class KnownUnits {
 public:
  /// Drops all units, because their numbers belong to the previous plan.
  void begin_plan() noexcept { ++plan_; }

  struct Known {
    std::int64_t plan = 0;
    ChunkIndex chunk{};
    SequenceSpan unit{};
    std::int64_t use = 0;  // the number of the unit in the plan
  };

  /// Returns the unit that has a sequence; null if the cache does not have the unit.
  [[nodiscard]] const Known* find(ChunkIndex chunk, std::int64_t sequence) const noexcept {
    for (const Known& known : buckets_[bucket_of(chunk)]) {
      const auto from_first = static_cast<std::uint64_t>(sequence - known.unit.first);
      const bool has_sequence = from_first < static_cast<std::uint64_t>(known.unit.count());
      if (has_sequence && known.chunk == chunk && known.plan == plan_) {
        return &known;
      }
    }
    return nullptr;
  }

  /// Adds a unit. May replace an older unit. The newest unit is compared first.
  void add(ChunkIndex chunk, const SequenceSpan& unit, std::int64_t use) noexcept {
    std::array<Known, kUnitsEach>& bucket = buckets_[bucket_of(chunk)];
    for (std::size_t i = kUnitsEach - 1; i > 0; --i) bucket[i] = bucket[i - 1];
    bucket[0] = {plan_, chunk, unit, use};
  }

 private:
  static constexpr std::size_t kBuckets = 64;
  static constexpr std::size_t kUnitsEach = 4;

  [[nodiscard]] static std::size_t bucket_of(ChunkIndex chunk) noexcept {
    return static_cast<std::size_t>(chunk) % kBuckets;
  }

  std::array<std::array<Known, kUnitsEach>, kBuckets> buckets_{};
  std::int64_t plan_ = 1;
};

}  // namespace sheaf::internal
