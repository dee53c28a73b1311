/// \file
/// A trial that finds out whether a cache is worth it.

#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <optional>
#include <vector>

namespace sheaf::internal {

/// Compares the times that the first units take to decode and to read from the cache.
///
/// Threads: all calls are safe from any number of threads.
class CacheTrial {
 public:
  /// The times for a unit. For several units, these are medians, since a single unit may have had
  /// to wait.
  struct Times {
    double source_seconds = 0;
    double cache_seconds = 0;
    std::int64_t unit_count = 0;
  };

  /// The trial takes at least `unit_count_min` units and `source_bytes_min` bytes of the source,
  /// since small parts of units say little. With 0 units there is no trial, and the cache is used.
  CacheTrial(std::int64_t unit_count_min, std::int64_t source_bytes_min) noexcept
      : unit_count_min_(unit_count_min),
        source_bytes_min_(source_bytes_min),
        is_running_(unit_count_min > 0) {}

  /// Returns whether the caller must time one more unit, and call add().
  [[nodiscard]] bool is_running() const {
    const std::scoped_lock lock(mutex_);
    return is_running_;
  }

  /// Adds the times of a unit with `source_bytes` bytes of the source. If this ends the trial and
  /// the cache fails, returns the times of all units. The cache fails if it takes more than kWorth
  /// of the decoding time.
  [[nodiscard]] std::optional<Times> add(double source_seconds, double cache_seconds,
                                         std::int64_t source_bytes) {
    const std::scoped_lock lock(mutex_);
    if (!is_running_) return std::nullopt;  // another thread was faster
    source_seconds_.push_back(source_seconds);
    cache_seconds_.push_back(cache_seconds);
    source_bytes_ += source_bytes;
    const std::int64_t count = std::ssize(source_seconds_);
    is_running_ = count < unit_count_min_ || source_bytes_ < source_bytes_min_;
    if (is_running_) return std::nullopt;
    const Times times{median(source_seconds_), median(cache_seconds_), count};
    if (is_worth_it(times.source_seconds, times.cache_seconds)) return std::nullopt;
    return times;
  }

  /// Returns whether the cache takes at most kWorth of the decoding time.
  [[nodiscard]] static constexpr bool is_worth_it(double source_seconds,
                                                  double cache_seconds) noexcept {
    return cache_seconds <= kWorth * source_seconds;
  }

  static constexpr double kWorth = 0.9;

 private:
  [[nodiscard]] static double median(std::vector<double>& values) {
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  }

  const std::int64_t unit_count_min_;
  const std::int64_t source_bytes_min_;
  mutable std::mutex mutex_;
  bool is_running_;                     // under the mutex, as all members below
  std::vector<double> source_seconds_;  // of each unit
  std::vector<double> cache_seconds_;
  std::int64_t source_bytes_ = 0;
};

}  // namespace sheaf::internal
