// Parses numbers in decimal text.

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
  const char* next;  // behind the number, even if out of range; the beginning if there is no number
  NumberCode code;
};

/// Lexes one number from the front of [first, last). T is float, double, Float16 or BFloat16
/// (correctly rounded), or uint8, uint16, int32 or int64.
///
/// Syntax: an optional sign, digits with at most one point, and an optional exponent: the `number`
///         production of docs/formats/ctf.md. For a whole type, an optional sign and digits. The
///         caller checks what follows.
/// Pre:    first < last.
/// Errors: not_a_number; out_of_range: T has no such finite value. `value` is unchanged in both
///         cases. inexact: the digits have no point and exponent, and T does not have this whole
///         number. `value` is the nearest number of T.
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

/// Reads any number of digits at `p` as an index. An index that is too large becomes 2^63, which no
/// dim allows. Returns the end of the digits, which is `p` if there are none.
///
/// Pre: the digits end before the padding of the text; eight bytes of the padding may be read.
[[nodiscard]] const char* lex_long_index(const char* p, std::uint64_t& index) noexcept;
[[nodiscard]] inline const char* lex_index(const char* p, std::uint64_t& index) noexcept {
  const DigitRun digits(p);
  if (digits.size() == 8) return lex_long_index(p, index);
  index = digits.size() == 0 ? 0 : digits.value();
  return p + digits.size();
}

/// Lexes a whole number of at most 15 digits, with or without a "-".
///
/// Pre:     24 bytes behind the first one may be read.
/// Returns: the end of the number, or null if it is anything else or does not fit T.
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

/// Lexes digits with at most one point, if there are few enough for an exact value. The value is a
/// whole number below 2^24 (float) or 2^53 (double), divided by an exact power of ten. So one
/// division gives the correctly rounded result (Clinger, 1990).
///
/// Pre:     16 bytes behind the digits may be read (text_scan.h).
/// Returns: the end of the number, or null if it is anything else. lex_number() may still accept
///          it.
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
  // As a float, 10^10 = 2^10 * 9765625 is the last exact power; as a double, it is 10^22.
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
  int decimals = fraction.size();
  if (decimals > 0)
    mantissa = mantissa * kScales[static_cast<std::size_t>(decimals)] + fraction.value();
  p += decimals;
  if (decimals == 8) {
    const DigitRun more(p);
    if (more.size() == 8) return nullptr;
    if (more.size() > 0) {
      mantissa = mantissa * kScales[static_cast<std::size_t>(more.size())] + more.value();
    }
    decimals += more.size();
    p += more.size();
  }
  if (whole.size() + decimals > 19) return nullptr;  // more digits may overflow
  if (mantissa > kMantissaMax || decimals > kFractionMax) return nullptr;
  value = static_cast<T>(mantissa) / kPowersOfTen[static_cast<std::size_t>(decimals)];
  if (is_negative) value = -value;
  return p;
}

/// Lexes a 16-bit number that is short as a double. T must hold it exactly, or round it once.
///
/// Pre:     as lex_short_floating().
/// Returns: the end of the number, or null if it is anything else. lex_number() may still accept
///          it.
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

/// Lexes a short number with lex_short_floating(), lex_short_half() or lex_short_whole().
///
/// Pre:     24 bytes behind the first one may be read.
/// Returns: the end of the number, or null if it is anything else. lex_number() may still accept
///          it.
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
