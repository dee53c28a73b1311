/// \file
/// Numbers of 16 bits: Float16 (IEEE 754 binary16, f16) and BFloat16 (the upper half of a float,
/// bf16). C++20 has no types for them.
///
///     std::cout << to_float(sheaf::Float16{0x3c00}) << '\n';             // 1
///     std::cout << to_float(sheaf::to_bfloat16(3.14159)) << '\n';        // 3.14062
///     std::cout << to_float(sheaf::to_float16(65'520.0)) << '\n';        // inf: 65504 is the most
///     static_assert(sizeof(sheaf::BFloat16) == 2);

#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace sheaf {

/// The bits of a number with 5 bits of exponent and 10 of fraction. Equality compares the bits.
struct Float16 {
  static constexpr int kFractionBits = 10;
  static constexpr int kExponentBits = 5;

  std::uint16_t bits = 0;

  friend bool operator==(const Float16&, const Float16&) = default;
};

/// The bits of a number with 8 bits of exponent and 7 of fraction. Equality compares the bits.
struct BFloat16 {
  static constexpr int kFractionBits = 7;
  static constexpr int kExponentBits = 8;

  std::uint16_t bits = 0;

  friend bool operator==(const BFloat16&, const BFloat16&) = default;
};

/// Returns the value, which a float holds exactly. A NaN stays a NaN.
[[nodiscard]] constexpr float to_float(Float16 half) noexcept {
  constexpr int kWidth = std::numeric_limits<float>::digits - 1 - Float16::kFractionBits;
  constexpr std::uint32_t kRebias = std::uint32_t{127 - 15} << Float16::kFractionBits;
  const std::uint32_t sign = std::uint32_t{half.bits & 0x8000U} << 16;
  const std::uint32_t size = half.bits & 0x7fffU;
  if (size >= 0x7c00) {  // infinity or NaN
    return std::bit_cast<float>(sign | 0x7f80'0000U | (size & 0x3ffU) << kWidth);
  }
  if (size < 0x400) {  // a multiple of 2^-24
    const float value = static_cast<float>(size) * 0x1p-24F;
    return sign == 0 ? value : -value;
  }
  return std::bit_cast<float>(sign | (size + kRebias) << kWidth);
}
[[nodiscard]] constexpr float to_float(BFloat16 half) noexcept {
  return std::bit_cast<float>(std::uint32_t{half.bits} << 16);
}

/// Returns the number of type T (Float16 or BFloat16) that is nearest to `value`. Of two equally
/// near numbers, returns the one whose last bit is 0. A value more than half a step above the
/// largest number becomes infinite. A NaN stays a NaN.
template <typename T>
[[nodiscard]] constexpr T nearest(double value) noexcept {
  constexpr int kBias = (1 << (T::kExponentBits - 1)) - 1;
  constexpr int kExponentMin = 1 - kBias;  // of normal numbers
  constexpr auto kInfinity = std::uint64_t{(1U << T::kExponentBits) - 1} << T::kFractionBits;
  constexpr int kFractionBits = std::numeric_limits<double>::digits - 1;
  constexpr std::uint64_t kHidden = std::uint64_t{1} << kFractionBits;

  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t sign = bits >> 48 & 0x8000U;
  const std::uint64_t size = bits & ~(std::uint64_t{1} << 63);
  if (size >= std::uint64_t{0x7ff} << kFractionBits) {
    const bool is_nan = (size & (kHidden - 1)) != 0;
    const std::uint64_t quiet = is_nan ? std::uint64_t{1} << (T::kFractionBits - 1) : 0;
    return {static_cast<std::uint16_t>(sign | kInfinity | quiet)};
  }
  const int exponent = static_cast<int>(size >> kFractionBits) - 1023;
  const int above = exponent < kExponentMin ? 0 : exponent - kExponentMin;
  // The number of fraction bits to drop. Below half of the smallest number, all of them are
  // dropped.
  const int dropped =
      kFractionBits - T::kFractionBits + (exponent < kExponentMin ? kExponentMin - exponent : 0);
  if (dropped > kFractionBits + 1) return {static_cast<std::uint16_t>(sign)};
  const std::uint64_t fraction = (size & (kHidden - 1)) | kHidden;
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  const std::uint64_t rest = fraction & (2 * half - 1);
  std::uint64_t kept = fraction >> dropped;
  if (rest > half || (rest == half && kept % 2 == 1)) ++kept;
  // The hidden bit, if present, adds 1 to the exponent.
  const std::uint64_t number = (static_cast<std::uint64_t>(above) << T::kFractionBits) + kept;
  return {static_cast<std::uint16_t>(sign | std::min(number, kInfinity))};
}

/// Returns nearest<T>(value).
[[nodiscard]] constexpr Float16 to_float16(double value) noexcept {
  return nearest<Float16>(value);
}
[[nodiscard]] constexpr BFloat16 to_bfloat16(double value) noexcept {
  return nearest<BFloat16>(value);
}

/// Whether T is Float16 or BFloat16, on which C++ does no arithmetic.
template <typename T>
inline constexpr bool kIsHalf = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

/// Returns a value of a type that C++ can calculate with: a float for a 16-bit number, otherwise
/// the value itself.
template <typename T>
[[nodiscard]] constexpr auto arithmetic(T value) noexcept {
  if constexpr (kIsHalf<T>) {
    return to_float(value);
  } else {
    return value;
  }
}

}  // namespace sheaf
