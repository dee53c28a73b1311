// Values of CTF, the common ones without a call.

#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "format/ctf/ctf_number.h"
#include "format/ctf/ctf_rows.h"
#include "format/ctf/ctf_words.h"

namespace sheaf::ctf {

[[nodiscard]] inline bool ends_value(const char* p, const char* end) noexcept {
  return p == end || is_blank(*p) || *p == '|';
}

/// Lex digits with at most one point among them, few enough that their value is exact: a whole
/// number below 2^24 (float) or 2^53 (double) over a power of ten that is exact, too. One division
/// of the two is then the correctly rounded result (Clinger, 1990).
///
/// Pre:    `p` is in a row (ctf_rows.h).
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
    value = static_cast<T>(mantissa);  // seven digits: below 2^24
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
  if (mantissa > kMantissaMax || places > kFractionMax) return nullptr;
  value = static_cast<T>(mantissa) / kPowersOfTen[static_cast<std::size_t>(places)];
  if (is_negative) value = -value;
  return p;
}

}  // namespace sheaf::ctf
