// Functions for 16-bit numbers, in addition to those of the public header.

#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "sheaf/float16.h"

namespace sheaf::internal {

/// Returns a small whole number as a T.
///
/// Pre: 0 <= number <= 100.
template <typename T>
[[nodiscard]] constexpr T small_number(int number) noexcept {
  if constexpr (kIsHalf<T>) {
    return nearest<T>(number);
  } else {
    return static_cast<T>(number);
  }
}

/// Returns whether `value` lies exactly in the middle between two neighbouring values of type T.
/// One of these may be infinity.
///
/// Pre: `value` is finite.
template <typename T>
requires kIsHalf<T>
[[nodiscard]] constexpr bool is_halfway(double value) noexcept {
  constexpr int kExponentMin = 2 - (1 << (T::kExponentBits - 1));
  constexpr std::uint64_t kHidden = std::uint64_t{1} << 52;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  const int dropped = 52 - T::kFractionBits + std::max(0, kExponentMin - exponent);
  if (dropped > 53) return false;  // less than half of the smallest number
  const std::uint64_t fraction = (bits & (kHidden - 1)) | kHidden;
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  return (fraction & (2 * half - 1)) == half;
}

}  // namespace sheaf::internal
