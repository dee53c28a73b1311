// Prefetches memory.

#pragma once

#include <algorithm>
#include <cstdint>

namespace sheaf::internal {

/// Prefetches the first bytes of `size_bytes`, enough for the processor to fetch the rest by
/// itself.
inline void prefetch(const void* address, std::int64_t size_bytes) noexcept {
  constexpr std::int64_t kLineSize = 64;
  constexpr std::int64_t kMost = 6 * kLineSize;
  const char* const first = static_cast<const char*>(address);
  __builtin_prefetch(first, 0, 2);  // most ranges are short
  for (std::int64_t at = kLineSize; at < std::min(size_bytes, kMost); at += kLineSize) {
    __builtin_prefetch(first + at, 0, 2);
  }
}

}  // namespace sheaf::internal
