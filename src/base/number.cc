// Most numbers in data have few digits. Their digits make an integer mantissa m below 2^53, and the
// power of ten that the dot and the exponent leave is within 10^22: both are exact as doubles, so
// one division or multiplication gives the correctly rounded double (Clinger, "How to read floating
// point numbers accurately", 1990). Rounding that again to float is right unless the double lies
// exactly in the middle of two floats; such numbers, and all others, go to fast_float.

#include "base/number.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <system_error>
#include <type_traits>

#include <fast_float/fast_float.h>

namespace sheaf::internal {
namespace {

constexpr std::array<double, 23> kPowersOfTen = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

constexpr unsigned digit_of(char c) noexcept {
  return static_cast<unsigned>(static_cast<unsigned char>(c)) - '0';
}

/// The number by fast_float: any length, any exponent.
template <typename T>
NumberCode convert_slowly(const char* first, const char* last, T& value) noexcept {
  T parsed = 0;
  const auto result = fast_float::from_chars(first, last, parsed);
  if (result.ptr != last) return NumberCode::not_a_number;
  if (std::isinf(parsed)) return NumberCode::out_of_range;
  value = parsed;
  return NumberCode::ok;
}

/// Whether `value`, to which the digits of [first, last) were rounded, is the number that they are.
/// The `mantissa` of up to 19 digits decides; of more, all digits of the value are compared.
template <typename T>
bool is_exactly(T value, const char* first, const char* last, std::uint64_t mantissa) noexcept {
  constexpr std::ptrdiff_t kMantissaDigits = 19;
  if (last - first <= kMantissaDigits) return static_cast<std::uint64_t>(value) == mantissa;
  while (last - first > 1 && *first == '0') ++first;
  std::array<char, std::numeric_limits<T>::max_exponent10 + 1> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                          std::chars_format::fixed, 0);
  return error == std::errc() && std::equal(first, last, digits.data(), end);
}

/// Whether rounding `d` to float might differ from rounding what `d` was rounded from.
bool is_doubtful_as_float(double d) noexcept {
  constexpr std::uint64_t kDroppedBits = (std::uint64_t{1} << 29) - 1;
  constexpr std::uint64_t kMiddle = std::uint64_t{1} << 28;
  return (std::bit_cast<std::uint64_t>(d) & kDroppedBits) == kMiddle ||
         d < static_cast<double>(std::numeric_limits<float>::min()) ||
         d > static_cast<double>(std::numeric_limits<float>::max());
}

}  // namespace

const char* lex_long_index(const char* p, std::uint64_t& index) noexcept {
  constexpr std::uint64_t kTooLarge = std::uint64_t{1} << 63;
  index = 0;
  for (; is_digit(*p); ++p) {
    index = index >= kTooLarge / 16 ? kTooLarge : index * 10 + static_cast<std::uint64_t>(*p - '0');
  }
  return p;
}

template <typename T>
NumberResult lex_number(const char* first, const char* last, T& value) noexcept {
  const char* p = first;
  const bool is_negative = *p == '-';
  if (*p == '-' || *p == '+') ++p;
  const char* const unsigned_begin = p;

  std::uint64_t mantissa = 0;
  unsigned digit = 0;
  for (; p != last && (digit = digit_of(*p)) < 10; ++p) mantissa = mantissa * 10 + digit;
  const char* const whole_end = p;
  std::int64_t digit_count = p - unsigned_begin;
  std::int64_t power = 0;
  if (p != last && *p == '.') {
    const char* const fraction = ++p;
    for (; p != last && (digit = digit_of(*p)) < 10; ++p) mantissa = mantissa * 10 + digit;
    power = fraction - p;
    digit_count -= power;
  }
  if (digit_count == 0) return {first, NumberCode::not_a_number};

  if (p != last && (*p == 'e' || *p == 'E')) {
    ++p;
    const bool is_small = p != last && *p == '-';
    if (p != last && (*p == '-' || *p == '+')) ++p;
    const char* const digits = p;
    std::int64_t exponent = 0;
    for (; p != last && (digit = digit_of(*p)) < 10; ++p) {
      if (exponent < 100'000) exponent = exponent * 10 + digit;
    }
    if (p == digits) return {first, NumberCode::not_a_number};
    power += is_small ? -exponent : exponent;
  }

  const bool is_whole = p == whole_end;  // neither a point nor an exponent follows the digits

  constexpr std::uint64_t kExactMax = std::uint64_t{1} << 53;
  if (digit_count <= 19 && mantissa <= kExactMax && -22 <= power && power <= 22) {
    auto exact = static_cast<double>(mantissa);
    if (power < 0) {
      exact /= kPowersOfTen[static_cast<std::size_t>(-power)];
    } else {
      exact *= kPowersOfTen[static_cast<std::size_t>(power)];
    }
    if (std::is_same_v<T, double> || mantissa == 0 || !is_doubtful_as_float(exact)) {
      if (is_negative) exact = -exact;
      value = static_cast<T>(exact);
      const bool is_rounded = static_cast<double>(value) != exact;
      return {p, is_whole && is_rounded ? NumberCode::inexact : NumberCode::ok};
    }
  }
  T magnitude = 0;
  const NumberCode code = convert_slowly(unsigned_begin, p, magnitude);
  if (code != NumberCode::ok) return {p, code};
  value = is_negative ? -magnitude : magnitude;
  const bool is_right = !is_whole || is_exactly(magnitude, unsigned_begin, p, mantissa);
  return {p, is_right ? NumberCode::ok : NumberCode::inexact};
}

template NumberResult lex_number(const char*, const char*, float&) noexcept;
template NumberResult lex_number(const char*, const char*, double&) noexcept;

}  // namespace sheaf::internal
