/// \file
/// Access to values in the buffers of Arrow arrays.

#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "sheaf/extend/arrow_interface.h"
#include "sheaf/float16.h"

namespace sheaf::python {

/// A range of elements, counted from the offset of the array.
struct ArrowRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Returns whether any value may be null.
[[nodiscard]] inline bool may_have_nulls(const ArrowArray& array) noexcept {
  return array.null_count != 0 && array.n_buffers > 0 && array.buffers[0] != nullptr;
}

/// Returns whether a value is null.
///
/// Pre: may_have_nulls().
[[nodiscard]] inline bool is_null(const ArrowArray& array, std::int64_t i) noexcept {
  const auto bit = static_cast<std::uint64_t>(array.offset + i);
  const auto* const bits = static_cast<const std::uint8_t*>(array.buffers[0]);
  return ((bits[bit / 8] >> (bit % 8)) & 1U) == 0;
}

/// Returns whether any value in the range is null.
[[nodiscard]] inline bool has_null(const ArrowArray& array, const ArrowRange& range) noexcept {
  if (!may_have_nulls(array)) return false;
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    if (is_null(array, i)) return true;
  }
  return false;
}

/// Returns the range of the items of a list, or of the bytes of a text.
[[nodiscard]] inline ArrowRange item_range(const ArrowArray& array, bool is_large,
                                           std::int64_t i) noexcept {
  const std::int64_t at = array.offset + i;
  if (is_large) {
    const auto* const offsets = static_cast<const std::int64_t*>(array.buffers[1]);
    return {offsets[at], offsets[at + 1]};
  }
  const auto* const offsets = static_cast<const std::int32_t*>(array.buffers[1]);
  return {offsets[at], offsets[at + 1]};
}

/// Returns whether a floating-point type with kBits binary digits, and any exponent, can represent
/// the whole number exactly.
template <int kBits, typename From>
[[nodiscard]] constexpr bool holds_exactly(From value) noexcept {
  if constexpr (std::numeric_limits<From>::digits <= kBits) {
    return true;
  } else {
    auto size = static_cast<std::uint64_t>(value);
    if (value < From{}) size = 0 - size;
    return size <= std::uint64_t{1} << kBits ||
           std::bit_width(size) - std::countr_zero(size) <= kBits;
  }
}

/// The binary digits of a floating-point type.
template <typename T>
inline constexpr int kDigits = std::numeric_limits<T>::digits;
template <>
inline constexpr int kDigits<Float16> = Float16::kFractionBits + 1;
template <>
inline constexpr int kDigits<BFloat16> = BFloat16::kFractionBits + 1;

/// Converts a number. Only a conversion between floating-point types rounds. Returns false if any
/// other conversion would change the number, or if a finite number becomes infinite.
template <typename From, typename To>
[[nodiscard]] bool convert_value(From from, To& to) noexcept {
  const auto number = arithmetic(from);
  using Number = decltype(arithmetic(from));
  if constexpr (std::is_integral_v<To> && std::is_integral_v<Number>) {
    to = static_cast<To>(number);
    return std::in_range<To>(number);
  } else if constexpr (std::is_integral_v<To>) {
    // Both ends are powers of two, or 0, and exact.
    constexpr auto kBegin = static_cast<double>(std::numeric_limits<To>::min());
    constexpr double kEnd = static_cast<double>(std::numeric_limits<To>::max() / 2 + 1) * 2;
    const auto wide = static_cast<double>(number);
    if (!(wide >= kBegin && wide < kEnd)) return false;
    to = static_cast<To>(number);
    return static_cast<Number>(to) == number;
  } else {
    if constexpr (kIsHalf<To>) {
      to = nearest<To>(static_cast<double>(number));
    } else {
      to = static_cast<To>(number);
    }
    if constexpr (std::is_integral_v<Number>) {
      return holds_exactly<kDigits<To>>(number) && std::isfinite(arithmetic(to));
    } else {
      return std::isfinite(arithmetic(to)) || !std::isfinite(number);
    }
  }
}

/// Calls f with a value of the C++ type of a whole number's format.
template <typename F>
void with_whole_type(char format, F&& f) {
  switch (format) {
    case 'c':
      return f(std::int8_t{});
    case 'C':
      return f(std::uint8_t{});
    case 's':
      return f(std::int16_t{});
    case 'S':
      return f(std::uint16_t{});
    case 'i':
      return f(std::int32_t{});
    case 'I':
      return f(std::uint32_t{});
    case 'l':
      return f(std::int64_t{});
    default:
      return f(std::uint64_t{});
  }
}

/// Calls f with a value of the C++ type of a number's format.
///
/// Pre: is_number_format().
template <typename F>
void with_arrow_type(char format, F&& f) {
  switch (format) {
    case 'e':
      return f(Float16{});
    case 'f':
      return f(float{});
    case 'g':
      return f(double{});
    default:
      return with_whole_type(format, f);
  }
}

}  // namespace sheaf::python
