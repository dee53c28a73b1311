// Keeps a limited number of descriptors for any number of files that are open for reading.

#pragma once

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <mutex>
#include <vector>

namespace sheaf::internal {

/// Keeps the most recently used descriptors, and closes others to make room. A descriptor that a
/// read is using is pinned, and stays open.
///
/// The cache selects the descriptor to close with the clock algorithm. The hand passes over
/// descriptors that were used since its last visit, and takes the first one that was not. So a read
/// marks a descriptor as used without a lock, and frequently read files keep their descriptors.
///
/// Threads: all calls are safe from any number of threads. system_descriptors() also works in a
///          child process forked at any time.
/// Cost:    reading a file whose descriptor is open takes two atomic operations on the file's own
///          entry, and no lock. While all descriptors are pinned, the cache exceeds its capacity by
///          one descriptor for each further thread that reads.
class DescriptorCache {
 public:
  /// The cache entry of one file. Belongs to the source of the file.
  class Entry {
   public:
    Entry() = default;
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    friend class DescriptorCache;
    static constexpr int kClosed = -1;

    std::atomic<int> pins_{kClosed};  // number of reads in progress
    std::atomic<bool> was_used_{false};
    int descriptor_ = -1;    // under the mutex while closed, then constant
    std::size_t index_ = 0;  // index in open_; under the mutex
  };

  /// A `capacity` of 0 means half of the descriptors that the system allows at the time
  /// (RLIMIT_NOFILE), and at most kCapacityMax.
  explicit DescriptorCache(std::size_t capacity = 0) : capacity_(capacity) {}
  DescriptorCache(const DescriptorCache&) = delete;
  DescriptorCache& operator=(const DescriptorCache&) = delete;

  /// Pins the descriptor of an entry, and returns it. Returns -1 if the entry is closed.
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

  /// Pre: the caller has pinned the entry.
  static void unpin(Entry& entry) noexcept { entry.pins_.fetch_sub(1, std::memory_order_release); }

  /// Gives an entry its descriptor, and pins the entry. The cache closes the descriptor from now
  /// on. Returns the descriptor to use, which is that of another thread if it was faster.
  [[nodiscard]] int add_pinned(Entry& entry, int descriptor);

  /// Closes the descriptor of an entry, if it is open.
  ///
  /// Pre: no read is in progress.
  void remove(Entry& entry) noexcept;

  /// Calls `open`, which returns a descriptor, or -1 with errno. If the system has no descriptors
  /// left, closes some of the cache and calls `open` again, until there is none to close.
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

  /// Closes some of the descriptors that no read is using. Returns whether there were any.
  bool make_room() noexcept;

  /// Returns how many descriptors are open.
  [[nodiscard]] std::size_t size() const;

  /// Returns how many descriptors may stay open.
  [[nodiscard]] std::size_t capacity() const noexcept;

  static constexpr std::size_t kCapacityMax = 4096;

  /// Surround a fork. The forking thread calls lock() before it, and unlock() after it in both
  /// processes.
  void lock() noexcept { mutex_.lock(); }
  void unlock() noexcept { mutex_.unlock(); }

 private:
  [[nodiscard]] int take_victim() noexcept;
  int take(Entry& entry) noexcept;

  const std::size_t capacity_;  // 0: from the limit of the system
  mutable std::mutex mutex_;
  std::vector<Entry*> open_;  // under the mutex, as hand_
  std::size_t hand_ = 0;
};

/// Returns the cache of this process, which is never destroyed.
[[nodiscard]] DescriptorCache& system_descriptors() noexcept;

}  // namespace sheaf::internal
