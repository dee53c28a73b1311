// An entry is open while its number of pins is 0 or more. Only a thread that holds the mutex opens
// or closes an entry. It closes an entry by changing the number from 0 to -1 in one step, so that
// no read can begin in between.
//
// A thread that forks holds the mutex during the fork, as in base/block_memory.cc. Pins of threads
// that do not exist in the child stay forever. Their descriptors are closed together with their
// sources.

#include "io/descriptor_cache.h"

#include <algorithm>
#include <utility>

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace sheaf::internal {

int DescriptorCache::add_pinned(Entry& entry, int descriptor) {
  int spare = descriptor;
  int used = -1;
  try {
    const std::scoped_lock lock(mutex_);
    used = pin(entry);
    if (used < 0) {
      entry.index_ = open_.size();
      open_.push_back(&entry);
      entry.descriptor_ = used = std::exchange(spare, -1);
      entry.was_used_.store(true, std::memory_order_relaxed);
      entry.pins_.store(1, std::memory_order_release);
    }
  } catch (...) {  // no memory for an element of open_
    ::close(descriptor);
    throw;
  }
  if (spare >= 0) ::close(spare);
  const std::size_t most = capacity();
  for (;;) {
    int victim = -1;
    {
      const std::scoped_lock lock(mutex_);
      if (open_.size() <= most) break;
      victim = take_victim();
    }
    if (victim < 0) break;  // all are pinned
    ::close(victim);        // after unlocking: a remote file system may take a while
  }
  return used;
}

void DescriptorCache::remove(Entry& entry) noexcept {
  int descriptor = -1;
  {
    const std::scoped_lock lock(mutex_);
    if (entry.pins_.load(std::memory_order_relaxed) == Entry::kClosed) return;
    entry.pins_.store(Entry::kClosed, std::memory_order_relaxed);
    descriptor = take(entry);
  }
  ::close(descriptor);
}

bool DescriptorCache::make_room() noexcept {
  constexpr std::size_t kShare = 8;
  std::size_t count = size() / kShare + 1;
  bool is_any = false;
  for (; count > 0; --count) {
    int victim = -1;
    {
      const std::scoped_lock lock(mutex_);
      victim = take_victim();
    }
    if (victim < 0) break;
    ::close(victim);
    is_any = true;
  }
  return is_any;
}

std::size_t DescriptorCache::size() const {
  const std::scoped_lock lock(mutex_);
  return open_.size();
}

std::size_t DescriptorCache::capacity() const noexcept {
  if (capacity_ > 0) return capacity_;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1;
  return static_cast<std::size_t>(std::clamp<rlim_t>(limit.rlim_cur / 2, 1, kCapacityMax));
}

// Closes an entry that nobody uses, and returns its descriptor. Returns -1 if all entries are
// pinned. The hand passes each entry at most twice, since the first time all entries may be marked
// as used.
//
// Pre: the mutex is held.
int DescriptorCache::take_victim() noexcept {
  for (std::size_t steps = 2 * open_.size(); steps > 0; --steps) {
    hand_ = hand_ + 1 < open_.size() ? hand_ + 1 : 0;
    Entry& entry = *open_[hand_];
    if (entry.was_used_.exchange(false, std::memory_order_relaxed)) continue;
    int none = 0;
    if (entry.pins_.compare_exchange_strong(none, Entry::kClosed, std::memory_order_acquire)) {
      return take(entry);
    }
  }
  return -1;
}

// Removes a closed entry from open_.
//
// Pre: the mutex is held.
int DescriptorCache::take(Entry& entry) noexcept {
  open_[entry.index_] = open_.back();
  open_[entry.index_]->index_ = entry.index_;
  open_.pop_back();
  return std::exchange(entry.descriptor_, -1);
}

namespace {

// Called before there are threads, like the handlers of base/block_memory.cc.
int get_ready_to_fork() noexcept {
  static_cast<void>(system_descriptors());
  return pthread_atfork([] { system_descriptors().lock(); }, [] { system_descriptors().unlock(); },
                        [] { system_descriptors().unlock(); });
}

[[maybe_unused]] const int descriptors_are_ready_to_fork = get_ready_to_fork();

}  // namespace

DescriptorCache& system_descriptors() noexcept {
  static DescriptorCache& cache = *new DescriptorCache;  // NOLINT: sources may outlive it
  return cache;
}

}  // namespace sheaf::internal
