/// \file
/// How often each number occurs.

#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace sheaf::cli {

/// Counts of numbers from 0 on; exact.
///
/// Cost: lengths that differ need data in proportion: n different ones are at least n * n / 2
///       samples, so the memory stays small whatever the data.
class Histogram {
 public:
  void add(std::int64_t number, std::int64_t count = 1);
  void add(const Histogram& other);

  /// How many were counted.
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }

  /// Their sum.
  [[nodiscard]] std::int64_t total() const noexcept { return total_; }

  /// Pre: count() > 0; here and below.
  [[nodiscard]] std::int64_t min() const;
  [[nodiscard]] std::int64_t max() const;
  [[nodiscard]] double mean() const;

  /// The least number that at least `percent` of a hundred of all do not exceed.
  ///
  /// Pre: 0 < percent <= 100.
  [[nodiscard]] std::int64_t percentile(int percent) const;

 private:
  std::vector<std::int64_t> small_;             // by number
  std::map<std::int64_t, std::int64_t> large_;  // beyond
  std::int64_t count_ = 0;
  std::int64_t total_ = 0;
};

}  // namespace sheaf::cli
