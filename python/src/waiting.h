/// \file
/// Waiting and working that Ctrl-C can interrupt.

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "sheaf/extend/interruption.h"

namespace sheaf::python {

/// Locks a mutex. Calls check_interruption() first, and then every Interruption::kPeriod while
/// another thread holds the mutex.
///
/// Pre:    this thread does not have the GIL, because the thread with the mutex may wait for it.
/// Throws: as check_interruption(). The mutex is then not locked.
inline std::unique_lock<std::timed_mutex> lock_interruptibly(std::timed_mutex& mutex) {
  check_interruption();
  std::unique_lock lock(mutex, std::defer_lock);
  while (!lock.try_lock_for(Interruption::kPeriod)) check_interruption();
  return lock;
}

/// Divides long work into parts that take a fraction of Interruption::kPeriod each, and calls
/// check_interruption() between them.
///
///     for (Pace pace(count); pace.next();) work(pace.first(), pace.count());
class Pace {
 public:
  explicit Pace(std::int64_t item_count) noexcept : end_(item_count) {}

  /// Moves to the next part. Returns false at the end.
  ///
  /// Throws: as check_interruption(), but never before the first part.
  bool next() {
    const auto now = std::chrono::steady_clock::now();
    if (count_ > 0) {
      check_interruption();
      size_ = now - begin_ < kPieceMin ? 2 * size_ : std::max<std::int64_t>(1, size_ / 2);
    }
    begin_ = now;
    first_ += count_;
    count_ = std::min(size_, end_ - first_);
    return count_ > 0;
  }

  [[nodiscard]] std::int64_t first() const noexcept { return first_; }
  [[nodiscard]] std::int64_t count() const noexcept { return count_; }

 private:
  static constexpr std::chrono::milliseconds kPieceMin{10};

  const std::int64_t end_;
  std::int64_t first_ = 0;
  std::int64_t count_ = 0;
  std::int64_t size_ = 256;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace sheaf::python
