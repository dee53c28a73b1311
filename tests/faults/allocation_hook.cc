#include "faults/allocation_hook.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sheaf::testing {
namespace {

constexpr std::size_t kPlainAlignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

std::atomic<bool> is_armed = false;
std::atomic<std::int64_t> first_failing = 0;
std::atomic<std::int64_t> last_failing = 0;
std::atomic<std::int64_t> calls = 0;
std::atomic<std::int64_t> live = 0;
std::atomic<std::int64_t> bytes_now = 0;
std::atomic<std::int64_t> bytes_most = 0;

void add_bytes(std::size_t count) noexcept {
  const auto bytes = static_cast<std::int64_t>(count);
  const std::int64_t now = bytes_now.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::int64_t most = bytes_most.load(std::memory_order_relaxed);
  while (now > most && !bytes_most.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
}

void take_bytes(std::size_t count) noexcept {
  bytes_now.fetch_sub(static_cast<std::int64_t>(count), std::memory_order_relaxed);
}

/// Returns null if memory runs out.
void* allocate(std::size_t size, std::size_t alignment) noexcept {
  if (is_armed.load(std::memory_order_relaxed)) {
    const std::int64_t n = ++calls;
    if (n >= first_failing && n <= last_failing) return nullptr;
  }
  if (size == 0) size = 1;
  const bool is_plain = alignment <= kPlainAlignment;
  void* const block =
      is_plain ? std::malloc(size)
               : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (block == nullptr) return nullptr;
  if (is_plain) live.fetch_add(1, std::memory_order_relaxed);
  add_bytes(::malloc_usable_size(block));
  return block;
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  void* const block = allocate(size, alignment);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void release(void* block, std::size_t alignment) noexcept {
  if (block == nullptr) return;
  if (alignment <= kPlainAlignment) live.fetch_sub(1, std::memory_order_relaxed);
  take_bytes(::malloc_usable_size(block));
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

std::int64_t live_bytes() noexcept { return bytes_now; }
std::int64_t live_bytes_max() noexcept { return bytes_most; }
void forget_live_bytes_max() noexcept { bytes_most = bytes_now.load(); }

}  // namespace sheaf::testing

// These replace the standard library's operators. Arrays use them, too.

using sheaf::testing::add_bytes;
using sheaf::testing::allocate;
using sheaf::testing::allocate_or_throw;
using sheaf::testing::release;
using sheaf::testing::take_bytes;

// The library maps large blocks with these calls. The heap itself maps memory in another way.

extern "C" void* mmap(void* address, std::size_t size, int protection, int flags, int file,
                      off_t offset) noexcept {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the system returns an address like this
  auto* const block =
      reinterpret_cast<void*>(::syscall(SYS_mmap, address, size, protection, flags, file, offset));
  if (block != MAP_FAILED) add_bytes(size);
  return block;
}

extern "C" int munmap(void* block, std::size_t size) noexcept {
  const long result = ::syscall(SYS_munmap, block, size);
  if (result == 0) take_bytes(size);
  return static_cast<int>(result);
}

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
