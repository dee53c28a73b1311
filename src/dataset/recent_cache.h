// A cache with a memory limit.

#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace sheaf::internal {

/// Keeps values that can be made again, as long as they fit. The most recently used values stay. A
/// value that is larger than the limit stays until the next one comes.
///
/// Threads: all calls are safe from any number of threads.
/// Cost:    constant for each call.
template <typename Value>
class RecentCache {
 public:
  /// A `limit_bytes` of 0 means no limit.
  explicit RecentCache(std::int64_t limit_bytes) : limit_bytes_(limit_bytes) {}

  /// Returns the value of a key, or null if it is not kept.
  [[nodiscard]] std::shared_ptr<const Value> find(std::int64_t key) {
    const std::scoped_lock lock(mutex_);
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return nullptr;
    entries_.splice(entries_.end(), entries_, found->second);
    return found->second->value;
  }

  /// Adds a value of `bytes` bytes. If the key already has a value, that one stays.
  void add(std::int64_t key, std::shared_ptr<const Value> value, std::int64_t bytes) {
    const std::scoped_lock lock(mutex_);
    if (by_key_.contains(key)) return;
    by_key_.emplace(key, entries_.insert(entries_.end(), {key, std::move(value), bytes}));
    bytes_ += bytes;
    while (limit_bytes_ > 0 && bytes_ > limit_bytes_ && entries_.size() > 1) {
      bytes_ -= entries_.front().bytes;
      by_key_.erase(entries_.front().key);
      entries_.pop_front();
    }
  }

  /// Returns how much memory the values take.
  [[nodiscard]] std::int64_t bytes() const {
    const std::scoped_lock lock(mutex_);
    return bytes_;
  }

 private:
  struct Entry {
    std::int64_t key;
    std::shared_ptr<const Value> value;
    std::int64_t bytes;
  };

  const std::int64_t limit_bytes_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  // least recently used first
  std::unordered_map<std::int64_t, typename std::list<Entry>::iterator> by_key_;
  std::int64_t bytes_ = 0;
};

}  // namespace sheaf::internal
