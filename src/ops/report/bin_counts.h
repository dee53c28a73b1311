// Histograms with few filled bins, and the distance between two of them.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sheaf::internal {

/// A histogram of numbered bins. Empty bins take no memory.
class BinCounts {
 public:
  struct Entry {
    std::uint32_t bin = 0;
    std::int64_t count = 0;

    friend bool operator==(const Entry&, const Entry&) = default;
  };

  /// Appends a bin.
  ///
  /// Pre: `bin`, the number of the bin, is larger than all numbers so far, and count > 0.
  void push_back(std::uint32_t bin, std::int64_t count) {
    entries_.push_back({bin, count});
    total_ += count;
  }

  /// Adds 1 to a bin. The time is linear in the number of filled bins behind it.
  void hit(std::uint32_t bin);

  /// Adds another histogram.
  void add(const BinCounts& other);

  [[nodiscard]] std::int64_t total() const noexcept { return total_; }

  /// Returns the filled bins in ascending order.
  [[nodiscard]] std::span<const Entry> entries() const noexcept { return entries_; }

  friend bool operator==(const BinCounts&, const BinCounts&) = default;

 private:
  std::vector<Entry> entries_;
  std::int64_t total_ = 0;
};

/// Returns the total variation distance between the shares of two histograms, from 0 to 1. An empty
/// histogram has the distance 0 from every other.
[[nodiscard]] double distance(const BinCounts& a, const BinCounts& b);

/// Returns the approximate distance that chance makes between two samples of `all`. For a share p,
/// the difference between the samples has the variance `scale` * p * (1 - p). For two samples of
/// sizes n and m, `scale` is 1 / n + 1 / m. For a part of size n and its whole of size m, `scale`
/// is 1 / n - 1 / m.
[[nodiscard]] double chance_distance(const BinCounts& all, double scale);

/// Returns the part of a distance that chance does not explain, from 0 to 1.
[[nodiscard]] double beyond_chance(double distance, double chance) noexcept;

}  // namespace sheaf::internal
