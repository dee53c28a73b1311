// Numbers that lie anywhere in memory.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace sheaf::internal {

/// The number that begins at `at`, aligned or not; or the `i`-th one from there.
template <typename T>
requires std::is_trivially_copyable_v<T>
[[nodiscard]] inline T load(const std::byte* at, std::int64_t i = 0) noexcept {
  T value;
  std::memcpy(&value, at + i * std::int64_t{sizeof value}, sizeof value);
  return value;
}

}  // namespace sheaf::internal
