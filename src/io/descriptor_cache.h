// The descriptors of files that are open for reading: a limited number for any number of files.

#pragma once

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <mutex>
#include <vector>

namespace sheaf::internal {

/// Keeps the descriptors that were used last, and closes others to make room. A descriptor that a
/// read is using is pinned, and stays open.
///
/// Which descriptor is closed is decided as by a clock: the hand passes over descriptors that were
/// used since it last came by, and takes the first one that was not. So a read marks a descriptor
/// as used without a lock, and files that are read often keep theirs.
///
/// Threads: all calls are safe from any number of threads. system_descriptors() also works in a
///          child that is forked meanwhile.
/// Cost:    a read of a file whose descriptor is open takes two atomic operations on the file's own
///          entry, and no lock. While all descriptors are pinned, there are more than the capacity:
///          one more for each further thread that reads.
class DescriptorCache {
 public:
  /// The place of one file in the cache. Belongs to the file's source.
  class Entry {
   public:
    Entry() = default;
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    friend class DescriptorCache;
    static constexpr int kClosed = -1;

    std::atomic<int> pins_{kClosed};  // reads under way
    std::atomic<bool> was_used_{false};
    int descriptor_ = -1;    // under the mutex while closed, then constant
    std::size_t place_ = 0;  // in open_; under the mutex
  };

  /// `capacity` 0 means half of the descriptors that the system allows (RLIMIT_NOFILE) at that
  /// time, and no more than kCapacityMax.
  explicit DescriptorCache(std::size_t capacity = 0) : capacity_(capacity) {}
  DescriptorCache(const DescriptorCache&) = delete;
  DescriptorCache& operator=(const DescriptorCache&) = delete;

  /// Pins the descriptor of an entry, and returns it; -1 where it is closed.
  [[nodiscard]] static int pin(Entry& entry) noexcept {
    int pins = entry.pins_.load(std::memory_order_relaxed);
    while (pins != Entry::kClosed) {
      if (entry.pins_.compare_exchange_weak(pins, pins + 1, std::memory_order_acquire,
                                            std::memory_order_relaxed)) {
        entry.was_used_.store(true, std::memory_order_relaxed);
        return entry.descriptor_;
      }
    }
    return -1;
  }

  /// Pre: the entry is pinned by the caller.
  static void unpin(Entry& entry) noexcept { entry.pins_.fetch_sub(1, std::memory_order_release); }

  /// Gives an entry a descriptor, which the cache closes from now on, and pins it. Returns the
  /// descriptor to use: that of another thread, where one was faster.
  [[nodiscard]] int add_pinned(Entry& entry, int descriptor);

  /// Closes the descriptor of an entry, if any.
  ///
  /// Pre: no read is under way.
  void remove(Entry& entry) noexcept;

  /// Calls `open`, which returns a descriptor or -1 with errno. Where there are no descriptors
  /// left, closes some of the cache's own and calls it again, until nothing is left to close.
  template <typename Open>
  [[nodiscard]] int open_with_room(const Open& open) {
    for (;;) {
      const int descriptor = open();
      const int error = errno;
      if (descriptor >= 0 || (error != EMFILE && error != ENFILE) || !make_room()) {
        errno = error;
        return descriptor;
      }
    }
  }

  /// Closes a part of the descriptors that no read is using. Returns whether there were any.
  bool make_room() noexcept;

  /// Returns how many descriptors are open.
  [[nodiscard]] std::size_t size() const;

  /// Returns how many descriptors may stay open.
  [[nodiscard]] std::size_t capacity() const noexcept;

  static constexpr std::size_t kCapacityMax = 4096;

  /// Around a fork. Both are called by the thread that forks, the latter in both processes.
  void lock() noexcept { mutex_.lock(); }
  void unlock() noexcept { mutex_.unlock(); }

 private:
  [[nodiscard]] int take_victim() noexcept;
  int take(Entry& entry) noexcept;

  const std::size_t capacity_;  // 0: by the limit of the system
  mutable std::mutex mutex_;
  std::vector<Entry*> open_;  // under the mutex, here and below
  std::size_t hand_ = 0;
};

/// The cache of this process. Never destroyed.
[[nodiscard]] DescriptorCache& system_descriptors() noexcept;

}  // namespace sheaf::internal
