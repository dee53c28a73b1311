// Histograms with few filled slots, and how far two of them are apart.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sheaf::internal {

/// How often each slot of a histogram was hit. Slots without a hit take no memory.
class SlotCounts {
 public:
  struct Entry {
    std::uint32_t slot = 0;
    std::int64_t count = 0;

    friend bool operator==(const Entry&, const Entry&) = default;
  };

  /// Appends a slot.
  ///
  /// Pre: `slot` is larger than every slot so far, and count > 0.
  void push_back(std::uint32_t slot, std::int64_t count) {
    entries_.push_back({slot, count});
    total_ += count;
  }

  /// Adds one hit of a slot. Takes time for each slot behind the slot.
  void hit(std::uint32_t slot);

  /// Adds the hits of other counts.
  void add(const SlotCounts& other);

  [[nodiscard]] std::int64_t total() const noexcept { return total_; }

  /// Returns the slots that were hit, rising.
  [[nodiscard]] std::span<const Entry> entries() const noexcept { return entries_; }

  friend bool operator==(const SlotCounts&, const SlotCounts&) = default;

 private:
  std::vector<Entry> entries_;
  std::int64_t total_ = 0;
};

/// Returns the total variation distance of the shares of two histograms, from 0 to 1. A histogram
/// without hits has the distance 0 from every other.
[[nodiscard]] double distance(const SlotCounts& a, const SlotCounts& b);

/// Returns about which distance chance makes between two samples of `all`. The variance of the
/// difference of two shares p is `scale` * p * (1 - p): for samples of n and m, `scale` is
/// 1 / n + 1 / m. For a part of n and the whole of m, `scale` is 1 / n - 1 / m.
[[nodiscard]] double chance_distance(const SlotCounts& all, double scale);

/// Returns which part of a distance chance does not explain, from 0 to 1.
[[nodiscard]] double beyond_chance(double distance, double chance) noexcept;

}  // namespace sheaf::internal
