#include "faults/allocation_hook.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace sheaf::testing {
namespace {

constexpr std::size_t kPlainAlignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

std::atomic<bool> is_armed = false;
std::atomic<std::int64_t> first_failing = 0;
std::atomic<std::int64_t> last_failing = 0;
std::atomic<std::int64_t> calls = 0;
std::atomic<std::int64_t> live = 0;

/// Null where memory runs out.
void* allocate(std::size_t size, std::size_t alignment) noexcept {
  if (is_armed.load(std::memory_order_relaxed)) {
    const std::int64_t n = ++calls;
    if (n >= first_failing && n <= last_failing) return nullptr;
  }
  if (size == 0) size = 1;
  if (alignment > kPlainAlignment) {
    return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  }
  void* const block = std::malloc(size);
  if (block != nullptr) live.fetch_add(1, std::memory_order_relaxed);
  return block;
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  void* const block = allocate(size, alignment);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void release(void* block, std::size_t alignment) noexcept {
  if (block != nullptr && alignment <= kPlainAlignment)
    live.fetch_sub(1, std::memory_order_relaxed);
  std::free(block);
}

}  // namespace

AllocationFault::AllocationFault(std::int64_t first, std::int64_t last) noexcept {
  calls = 0;
  first_failing = first;
  last_failing = last;
  is_armed = true;
}

AllocationFault::~AllocationFault() { is_armed = false; }

std::int64_t AllocationFault::count() noexcept { return calls; }

std::int64_t live_allocations() noexcept { return live; }

}  // namespace sheaf::testing

// The program's own, in place of the standard library's. Arrays come by these, too.

using sheaf::testing::allocate;
using sheaf::testing::allocate_or_throw;
using sheaf::testing::release;

void* operator new(std::size_t size) {
  return allocate_or_throw(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}

void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return allocate(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}

void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}

void* operator new(std::size_t size, std::align_val_t alignment,
                   const std::nothrow_t& /*tag*/) noexcept {
  return allocate(size, static_cast<std::size_t>(alignment));
}

void operator delete(void* block) noexcept { release(block, __STDCPP_DEFAULT_NEW_ALIGNMENT__); }

void operator delete(void* block, std::size_t /*size*/) noexcept {
  release(block, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}

void operator delete(void* block, std::align_val_t alignment) noexcept {
  release(block, static_cast<std::size_t>(alignment));
}

void operator delete(void* block, std::size_t /*size*/, std::align_val_t alignment) noexcept {
  release(block, static_cast<std::size_t>(alignment));
}
