/// \file
/// A cache of the cuts that the planner used last.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "sheaf/types.h"

#include "reader/plan/range_cut.h"

namespace sheaf::internal {

/// Caches the cuts of one plan, to find the cut of a sequence without a search. A random order uses
/// the same cuts again and again.
///
/// Ranges of a chunk may share the sequence at their ends. HeldRanges chooses a range for such a
/// sequence, so the cache never finds the first or the last sequence of a part of a chunk.
///
/// Lifetime: the cuts must outlive the plan.
/// Cost:     compares with four entries.
class KnownCuts {
 public:
  /// Drops all cuts, because the next plan may find others.
  void begin_plan() noexcept { ++plan_; }

  struct Known {
    const RangeCut* cut = nullptr;
    bool is_held = false;  // whether the cut's range is held
    std::int64_t plan = 0;
    ChunkIndex chunk{};
    SequenceSpan inner{};  // the sequences that no other range has
  };

  /// Returns the cut that has a sequence; null if the cache does not have the cut.
  [[nodiscard]] const Known* find(ChunkIndex chunk, std::int64_t sequence) const noexcept {
    for (const Known& known : buckets_[bucket_of(chunk)]) {
      const auto from_first = static_cast<std::uint64_t>(sequence - known.inner.first);
      const bool has_sequence = from_first < static_cast<std::uint64_t>(known.inner.count());
      if (has_sequence && known.chunk == chunk && known.plan == plan_) return &known;
    }
    return nullptr;
  }

  /// Adds a cut. May replace an older cut. The newest cut is compared first.
  void add(const RangeCut& cut, bool is_held) noexcept {
    std::array<Known, kCutsEach>& bucket = buckets_[bucket_of(cut.chunk())];
    for (std::size_t i = kCutsEach - 1; i > 0; --i) bucket[i] = bucket[i - 1];
    bucket[0] = {&cut, is_held, plan_, cut.chunk(), inner_of(cut)};
  }

 private:
  static constexpr std::size_t kBuckets = 64;
  static constexpr std::size_t kCutsEach = 4;

  [[nodiscard]] static std::size_t bucket_of(ChunkIndex chunk) noexcept {
    return static_cast<std::size_t>(chunk) % kBuckets;
  }

  [[nodiscard]] static SequenceSpan inner_of(const RangeCut& cut) noexcept {
    if (is_whole(cut.range())) return {cut.first(), cut.end()};
    const std::int64_t first = cut.first() + 1;
    return {first, std::max(first, cut.end() - 1)};
  }

  std::array<std::array<Known, kCutsEach>, kBuckets> buckets_{};
  std::int64_t plan_ = 1;
};

}  // namespace sheaf::internal
