// Reads numbers at any address.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace sheaf::internal {

/// Returns the number at the address `at`, aligned or not, or the `i`-th number from there.
template <typename T>
requires std::is_trivially_copyable_v<T>
[[nodiscard]] inline T load(const std::byte* at, std::int64_t i = 0) noexcept {
  T value;
  std::memcpy(&value, at + i * std::int64_t{sizeof value}, sizeof value);
  return value;
}

}  // namespace sheaf::internal
