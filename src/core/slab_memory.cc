// A pointer to its slab lies in front of each array. So deallocating an array only decrements a
// counter, without a search and without a lock.
//
// If the current slab has no room for the next array, a new slab is taken, and the rest of the
// current slab is lost. Therefore, slabs are four times as large as the largest array so far, if
// that is at most kSharedBytesMax and bytes_max has room for four such slabs.

#include "sheaf/extend/slab_memory.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <new>

#include "sheaf/extend/buffer.h"

namespace sheaf {
namespace {

constexpr std::size_t kHeadBytes = Buffer::kAlignment;  // for the pointer in front of an array
constexpr std::int64_t kArraysPerSlab = 4;              // how many of the largest arrays fit into a
                                                        // slab
constexpr std::int64_t kSharedBytesMax = std::int64_t{16} << 20;
constexpr std::int64_t kSlabsPerBound = 4;  // at least, if slabs hold several arrays
constexpr std::int64_t kSparesMax = 64;

// Pre: 0 < bytes, and the result fits.
std::int64_t next_power_of_two(std::int64_t bytes) noexcept {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(bytes)));
}

}  // namespace

SlabMemory::SlabMemory(std::int64_t bytes_max) noexcept : bytes_max_(bytes_max) {
  assert(bytes_max >= 0);
}

SlabMemory::~SlabMemory() = default;

SlabMemory::Turn SlabMemory::turn() {
  const std::scoped_lock lock(mutex_);
  Turn turn;
  std::int64_t spares = 0;
  for (const Slab& slab : slabs_) {
    if (&slab == current_) continue;
    const bool is_unused = slab.used_bytes == 0;
    if (is_unused && slab.size_bytes >= wanted_bytes_) {
      ++spares;
    } else if (slab.array_count.load(std::memory_order_acquire) == 0) {
      turn.spent.push_back(slab.begin);
    }
  }
  for (const std::byte* begin : turn.spent) {
    const auto slab = std::ranges::find(slabs_, begin, &Slab::begin);
    total_bytes_ -= slab->size_bytes;
    slabs_.erase(slab);
  }
  if (missing_count_ > 0) spares_wanted_ = std::min(spares_wanted_ + 1, kSparesMax);
  missing_count_ = 0;
  turn.slab_bytes = wanted_bytes_;
  const std::int64_t room = std::max<std::int64_t>(0, bytes_max_ - total_bytes_) / wanted_bytes_;
  turn.slabs_wanted = std::clamp<std::int64_t>(spares_wanted_ - spares, 0, room);
  return turn;
}

void SlabMemory::add(std::byte* slab, std::int64_t size_bytes) {
  assert(reinterpret_cast<std::uintptr_t>(slab) % Buffer::kAlignment == 0);
  const std::scoped_lock lock(mutex_);
  slabs_.emplace_back(slab, size_bytes);
  total_bytes_ += size_bytes;
}

std::int64_t SlabMemory::slab_bytes() const {
  const std::scoped_lock lock(mutex_);
  return total_bytes_;
}

std::int64_t SlabMemory::ordinary_count() const {
  const std::scoped_lock lock(mutex_);
  return ordinary_count_;
}

// Returns a slab with room for `bytes` bytes; null if there is none.
//
// Pre: this thread holds the mutex.
SlabMemory::Slab* SlabMemory::with_room(std::int64_t bytes) noexcept {
  if (current_ != nullptr && bytes <= current_->size_bytes - current_->used_bytes) return current_;
  const bool is_foreseen = bytes <= wanted_bytes_;
  if (bytes <= std::min(bytes_max_ / kSlabsPerBound, kSharedBytesMax) / kArraysPerSlab) {
    wanted_bytes_ = std::max(wanted_bytes_, next_power_of_two(bytes * kArraysPerSlab));
  } else if (bytes <= bytes_max_ && next_power_of_two(bytes) <= bytes_max_) {
    wanted_bytes_ = std::max(wanted_bytes_, next_power_of_two(bytes));
  }
  for (Slab& slab : slabs_) {
    if (&slab == current_ || slab.used_bytes > 0 || slab.size_bytes < bytes) continue;
    current_ = &slab;
    return current_;
  }
  if (is_foreseen) ++missing_count_;
  return nullptr;
}

void* SlabMemory::do_allocate(std::size_t bytes, std::size_t alignment) {
  const std::size_t head_bytes = std::max(alignment, kHeadBytes);
  constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max()) / 4;
  if (bytes > kMost || head_bytes > kMost) throw std::bad_array_new_length();
  // Rounded up to whole cache lines, so that the next pointer and array are aligned.
  const std::size_t lines = (bytes + Buffer::kAlignment - 1) / Buffer::kAlignment;
  const std::size_t needed_bytes = head_bytes + lines * Buffer::kAlignment;
  std::byte* begin = nullptr;
  Slab* slab = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    const auto needed = static_cast<std::int64_t>(needed_bytes);
    if (alignment <= Buffer::kAlignment) slab = with_room(needed);
    if (slab != nullptr) {
      begin = slab->begin + slab->used_bytes;
      slab->used_bytes += needed;
      slab->array_count.fetch_add(1, std::memory_order_relaxed);
    } else {
      ++ordinary_count_;
    }
  }
  if (slab == nullptr) {
    begin = static_cast<std::byte*>(default_memory().allocate(needed_bytes, head_bytes));
  }
  std::byte* const array = begin + head_bytes;
  std::memcpy(array - kHeadBytes, &slab, sizeof(void*));
  return array;
}

void SlabMemory::do_deallocate(void* array, std::size_t bytes, std::size_t alignment) {
  Slab* slab = nullptr;
  std::memcpy(&slab, static_cast<std::byte*>(array) - kHeadBytes, sizeof(void*));
  if (slab != nullptr) {
    // Release order: all reads of the array happen before turn() returns the slab.
    slab->array_count.fetch_sub(1, std::memory_order_release);
    return;
  }
  const std::size_t head_bytes = std::max(alignment, kHeadBytes);
  const std::size_t lines = (bytes + Buffer::kAlignment - 1) / Buffer::kAlignment;
  default_memory().deallocate(static_cast<std::byte*>(array) - head_bytes,
                              head_bytes + lines * Buffer::kAlignment, head_bytes);
}

}  // namespace sheaf
