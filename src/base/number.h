// Numbers written as decimal text.

#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "base/text_scan.h"

namespace sheaf::internal {

enum class NumberCode : std::uint8_t { ok, not_a_number, out_of_range, inexact };

struct NumberResult {
  const char* next;  // behind the number, in range or not; where it began if there is none
  NumberCode code;
};

/// Lex one number from the front of [first, last): float or double, correctly rounded.
///
/// Syntax: a sign or none, digits with at most one point, an exponent or none; the `number`
///         production of docs/formats/ctf.md. The caller looks at what follows.
/// Pre:    first < last.
/// Errors: not_a_number, out_of_range (finite text, no finite value); `value` is untouched then.
///         inexact: digits without point and exponent, a whole number that T does not have;
///         `value` is the nearest number that T has.
/// Cost:   one pass; no allocation, no locale, no exception.
template <typename T>
[[nodiscard]] NumberResult lex_number(const char* first, const char* last, T& value) noexcept;

extern template NumberResult lex_number(const char*, const char*, float&) noexcept;
extern template NumberResult lex_number(const char*, const char*, double&) noexcept;

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

/// Lex digits with at most one point among them, few enough that their value is exact: a whole
/// number below 2^24 (float) or 2^53 (double) over a power of ten that is exact, too. One division
/// of the two is then the correctly rounded result (Clinger, 1990).
///
/// Pre:    16 bytes behind the digits may be read (text_scan.h).
/// Returns the end; null where it is something else, which lex_number() may still take.
template <typename T>
[[nodiscard]] inline const char* lex_short_number(const char* p, T& value) noexcept {
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

}  // namespace sheaf::internal
