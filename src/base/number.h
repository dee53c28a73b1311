// Numbers written as decimal text.

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/half.h"
#include "base/text_scan.h"

namespace sheaf::internal {

enum class NumberCode : std::uint8_t { ok, not_a_number, out_of_range, inexact };

struct NumberResult {
  const char* next;  // behind the number, in range or not; where it began if there is none
  NumberCode code;
};

/// Lex one number from the front of [first, last): float, double, Float16 or BFloat16, correctly
/// rounded; or a whole number, uint8, uint16, int32 or int64.
///
/// Syntax: a sign or none, digits with at most one point, an exponent or none; the `number`
///         production of docs/formats/ctf.md. Of a whole number a sign or none, and digits. The
///         caller looks at what follows.
/// Pre:    first < last.
/// Errors: not_a_number, out_of_range (finite text, no finite value, or no value of a whole type);
///         `value` is untouched then.
///         inexact: digits without point and exponent, a whole number that T does not have;
///         `value` is the nearest number that T has.
/// Cost:   one pass; no allocation, no locale, no exception.
template <typename T>
[[nodiscard]] NumberResult lex_number(const char* first, const char* last, T& value) noexcept;

extern template NumberResult lex_number(const char*, const char*, float&) noexcept;
extern template NumberResult lex_number(const char*, const char*, double&) noexcept;
extern template NumberResult lex_number(const char*, const char*, Float16&) noexcept;
extern template NumberResult lex_number(const char*, const char*, BFloat16&) noexcept;
extern template NumberResult lex_number(const char*, const char*, std::uint8_t&) noexcept;
extern template NumberResult lex_number(const char*, const char*, std::uint16_t&) noexcept;
extern template NumberResult lex_number(const char*, const char*, std::int32_t&) noexcept;
extern template NumberResult lex_number(const char*, const char*, std::int64_t&) noexcept;

/// The digits at `p` as an index, of any number of them; one that is too large becomes 2^63, which
/// no dim allows. Returns where they end: `p` where there are none.
///
/// Pre: they end before the padding of the text does, of which eight bytes may be read.
[[nodiscard]] const char* lex_long_index(const char* p, std::uint64_t& index) noexcept;
[[nodiscard]] inline const char* lex_index(const char* p, std::uint64_t& index) noexcept {
  const DigitRun digits(p);
  if (digits.size() == 8) return lex_long_index(p, index);
  index = digits.size() == 0 ? 0 : digits.value();
  return p + digits.size();
}

/// Lex a whole number of at most 15 digits, with or without a "-".
///
/// Pre:    24 bytes behind the first may be read.
/// Returns the end; null where it is something else, or nothing that a T holds.
template <typename T>
requires std::is_integral_v<T>
[[nodiscard]] inline const char* lex_short_whole(const char* p, T& value) noexcept {
  const bool is_negative = *p == '-';
  if (is_negative) ++p;
  const DigitRun front(p);
  if (front.size() == 0) return nullptr;
  auto size = static_cast<std::int64_t>(front.value());
  p += front.size();
  if (front.size() == 8) {
    static constexpr std::array<std::int64_t, 8> kScales = {1,      10,      100,       1000,
                                                            10'000, 100'000, 1'000'000, 10'000'000};
    const DigitRun back(p);
    if (back.size() == 8) return nullptr;
    if (back.size() > 0) {
      size = size * kScales[static_cast<std::size_t>(back.size())] +
             static_cast<std::int64_t>(back.value());
    }
    p += back.size();
  }
  if (is_negative) size = -size;
  if constexpr (sizeof(T) < sizeof(size)) {
    if (size < std::numeric_limits<T>::min() || size > std::numeric_limits<T>::max()) {
      return nullptr;
    }
  }
  value = static_cast<T>(size);
  return p;
}

/// Lex digits with at most one point among them, few enough that their value is exact: a whole
/// number below 2^24 (float) or 2^53 (double) over a power of ten that is exact, too. One division
/// of the two is then the correctly rounded result (Clinger, 1990).
///
/// Pre:    16 bytes behind the digits may be read (text_scan.h).
/// Returns the end; null where it is something else, which lex_number() may still take.
template <typename T>
requires std::is_floating_point_v<T>
[[nodiscard]] inline const char* lex_short_floating(const char* p, T& value) noexcept {
  static constexpr std::array<T, 16> kPowersOfTen = [] {
    std::array<T, 16> powers{};
    double power = 1;
    for (T& entry : powers) {
      entry = static_cast<T>(power);
      power *= 10;
    }
    return powers;
  }();
  // Up to 10^10 = 2^10 * 9765625 a float is exact; and 22 digits would be for a double.
  constexpr int kFractionMax = std::is_same_v<T, float> ? 10 : 15;
  constexpr std::uint64_t kMantissaMax = std::uint64_t{1} << (std::is_same_v<T, float> ? 24 : 53);

  const bool is_negative = *p == '-';
  if (is_negative) ++p;
  const DigitRun whole(p);
  if (whole.size() == 0 || whole.size() == 8) return nullptr;
  std::uint64_t mantissa = whole.value();
  p += whole.size();
  if (*p != '.') {
    value = static_cast<T>(mantissa);  // seven digits: below 2^24, exact in any T
    if (is_negative) value = -value;
    return p;
  }
  ++p;
  static constexpr std::array<std::uint64_t, 9> kScales = {
      1, 10, 100, 1000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
  DigitRun fraction(p);
  int places = fraction.size();
  if (places > 0)
    mantissa = mantissa * kScales[static_cast<std::size_t>(places)] + fraction.value();
  p += places;
  if (places == 8) {
    const DigitRun more(p);
    if (more.size() == 8) return nullptr;
    if (more.size() > 0) {
      mantissa = mantissa * kScales[static_cast<std::size_t>(more.size())] + more.value();
    }
    places += more.size();
    p += more.size();
  }
  if (whole.size() + places > 19) return nullptr;  // more digits may wrap around
  if (mantissa > kMantissaMax || places > kFractionMax) return nullptr;
  value = static_cast<T>(mantissa) / kPowersOfTen[static_cast<std::size_t>(places)];
  if (is_negative) value = -value;
  return p;
}

/// Lex a number of 16 bits that is short as a double, and that T holds or takes by rounding once.
///
/// Pre:    as lex_short_floating().
/// Returns the end; null where it is something else, which lex_number() may still take.
template <typename T>
requires kIsHalf<T>
[[nodiscard]] inline const char* lex_short_half(const char* p, T& value) noexcept {
  double exact = 0;
  const char* const next = lex_short_floating(p, exact);
  if (next == nullptr || is_halfway<T>(exact)) return nullptr;
  const T rounded = nearest<T>(exact);
  const auto number = static_cast<double>(to_float(rounded));
  if (number != exact && (std::isinf(number) || std::find(p, next, '.') == next)) return nullptr;
  value = rounded;
  return next;
}

/// Lex a number that is short: lex_short_floating(), lex_short_half() or lex_short_whole().
///
/// Pre:    24 bytes behind the first one may be read.
/// Returns the end; null where it is something else, which lex_number() may still take.
template <typename T>
[[nodiscard]] inline const char* lex_short_number(const char* p, T& value) noexcept {
  if constexpr (std::is_integral_v<T>) {
    return lex_short_whole(p, value);
  } else if constexpr (kIsHalf<T>) {
    return lex_short_half(p, value);
  } else {
    return lex_short_floating(p, value);
  }
}

}  // namespace sheaf::internal
