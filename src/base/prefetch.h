// Prefetches memory.

#pragma once

#include <algorithm>
#include <cstdint>

namespace sheaf::internal {

/// Prefetches the first cache lines of `size_bytes`, enough for the processor to fetch the rest by
/// itself.
inline void prefetch(const void* address, std::int64_t size_bytes) noexcept {
  constexpr std::uintptr_t kLineSize = 64;
  constexpr std::uintptr_t kMost = 8;  // lines
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  const std::uintptr_t line = first / kLineSize;
  const auto size = static_cast<std::uintptr_t>(std::max<std::int64_t>(size_bytes, 1));
  const std::uintptr_t end = std::min((first + size - 1) / kLineSize + 1, line + kMost);
  const char* at = static_cast<const char*>(address);
  // To GCC, a function that only prefetches has no effect, so GCC drops the calls.
  asm volatile("" : : "r"(at));  // NOLINT: an effect that costs nothing
  __builtin_prefetch(at, 0, 2);
  // Even a short range may end in the next line.
  for (std::uintptr_t next = line + 1; next < end; ++next) {
    at += kLineSize;
    __builtin_prefetch(at, 0, 2);
  }
}

}  // namespace sheaf::internal
