// Most numbers in data have few digits. Their digits form an integer mantissa m below 2^53, and the
// dot and the exponent leave a power of ten within 10^22. Both are exact as doubles, so one
// division or multiplication gives the correctly rounded double (Clinger, "How to read floating
// point numbers accurately", 1990). Rounding this double to float is also right, unless it lies
// exactly in the middle of two floats. Such numbers, and all others, go to fast_float.

#include "base/number.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
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

/// Converts a number of any length and exponent with fast_float.
template <typename T>
NumberCode convert_slowly(const char* first, const char* last, T& value) noexcept {
  T parsed = 0;
  const auto result = fast_float::from_chars(first, last, parsed);
  if (result.ptr != last) return NumberCode::not_a_number;
  if (std::isinf(parsed)) return NumberCode::out_of_range;
  value = parsed;
  return NumberCode::ok;
}

/// Returns whether `value` is exactly the number that the digits of [first, last) denote. Up to 19
/// digits, compares with `mantissa`. Beyond, compares with all digits of the value.
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

/// Returns whether rounding `d` to float may differ from rounding the exact number to float
/// directly.
bool is_doubtful_as_float(double d) noexcept {
  constexpr std::uint64_t kDroppedBits = (std::uint64_t{1} << 29) - 1;
  constexpr std::uint64_t kMiddle = std::uint64_t{1} << 28;
  return (std::bit_cast<std::uint64_t>(d) & kDroppedBits) == kMiddle ||
         d < static_cast<double>(std::numeric_limits<float>::min()) ||
         d > static_cast<double>(std::numeric_limits<float>::max());
}

template <typename T>
NumberResult lex_floating(const char* first, const char* last, T& value) noexcept {
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

  const bool is_whole = p == whole_end;  // there is neither a point nor an exponent

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

/// Compares the number [first, last), without its sign, with a value. Returns a result below 0, 0
/// or above 0.
///
/// Pre: neither is 0; the value has at most kDigits decimal digits. The middle between two 16-bit
///      numbers never has more.
int compare_exactly(const char* first, const char* last, double value) noexcept {
  constexpr int kDigits = 120;
  std::array<char, kDigits + 16> exact{};  // also a point, and "e-308"
  const std::to_chars_result written = std::to_chars(
      exact.data(), exact.data() + exact.size(), value, std::chars_format::scientific, kDigits - 1);
  assert(written.ec == std::errc{});
  const char* const exact_end = written.ptr;
  const char* known = exact.data();
  const char* const exact_e = std::find(known, exact_end, 'e');
  std::int64_t exponent = 0;
  std::from_chars(exact_e + 2, exact_end, exponent);
  if (exact_e[1] == '-') exponent = -exponent;

  if (*first == '-' || *first == '+') ++first;
  const char* const e = std::find_if(first, last, [](char c) { return c == 'e' || c == 'E'; });
  std::int64_t power = 0;
  for (const char* p = e; p != last; ++p) {
    constexpr std::int64_t kPowerMax = 1'000'000'000'000'000;  // beyond the digits of any text
    if (is_digit(*p) && power < kPowerMax) power = power * 10 + (*p - '0');
  }
  if (e != last && e[1] == '-') power = -power;
  const char* const point = std::find(first, e, '.');
  const char* p = std::find_if(first, e, [](char c) { return c >= '1' && c <= '9'; });
  power += p < point ? point - p - 1 : point - p;
  if (power != exponent) return power < exponent ? -1 : 1;

  for (; p != e; ++p) {
    if (*p == '.') continue;
    if (known != exact_e && *known == '.') ++known;
    const char expected = known != exact_e ? *known++ : '0';
    if (*p != expected) return *p < expected ? -1 : 1;
  }
  const bool has_more = std::any_of(known, exact_e, [](char c) { return c >= '1' && c <= '9'; });
  return has_more ? -1 : 0;
}

/// Parses the number as a double, and rounds it to T. If the double lies in the middle between two
/// numbers of type T, the text decides the direction.
template <typename T>
NumberResult lex_half(const char* first, const char* last, T& value) noexcept {
  double wide = 0;
  const NumberResult result = lex_floating(first, last, wide);
  if (result.code != NumberCode::ok && result.code != NumberCode::inexact) return result;
  double rounded_once = wide;
  if (is_halfway<T>(wide)) {
    const int order = compare_exactly(first, result.next, std::fabs(wide));
    const double infinity = std::copysign(std::numeric_limits<double>::infinity(), wide);
    if (order != 0) rounded_once = std::nextafter(wide, order < 0 ? 0.0 : infinity);
  }
  const T rounded = nearest<T>(rounded_once);
  const auto number = static_cast<double>(to_float(rounded));
  if (std::isinf(number)) return {result.next, NumberCode::out_of_range};
  value = rounded;
  const bool is_whole =
      std::none_of(first, result.next, [](char c) { return c == '.' || c == 'e' || c == 'E'; });
  const bool is_exact = result.code == NumberCode::ok && number == wide;
  return {result.next, is_whole && !is_exact ? NumberCode::inexact : NumberCode::ok};
}

template <typename T>
NumberResult lex_whole(const char* first, const char* last, T& value) noexcept {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  const char* p = first;
  const bool is_negative = *p == '-';
  if (*p == '-' || *p == '+') ++p;
  const char* const digits = p;
  std::uint64_t size = 0;
  bool overflows = false;
  for (unsigned digit = 0; p != last && (digit = digit_of(*p)) < 10; ++p) {
    overflows = overflows || size > (kMax - digit) / 10;
    size = size * 10 + digit;
  }
  if (p == digits) return {first, NumberCode::not_a_number};
  constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  constexpr std::uint64_t kLargestNegative = std::is_signed_v<T> ? kLargest + 1 : 0;
  if (overflows || size > (is_negative ? kLargestNegative : kLargest)) {
    return {p, NumberCode::out_of_range};
  }
  value = static_cast<T>(is_negative ? 0 - size : size);
  return {p, NumberCode::ok};
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
  if constexpr (std::is_integral_v<T>) {
    return lex_whole(first, last, value);
  } else if constexpr (kIsHalf<T>) {
    return lex_half(first, last, value);
  } else {
    return lex_floating(first, last, value);
  }
}

template NumberResult lex_number(const char*, const char*, float&) noexcept;
template NumberResult lex_number(const char*, const char*, double&) noexcept;
template NumberResult lex_number(const char*, const char*, Float16&) noexcept;
template NumberResult lex_number(const char*, const char*, BFloat16&) noexcept;
template NumberResult lex_number(const char*, const char*, std::uint8_t&) noexcept;
template NumberResult lex_number(const char*, const char*, std::uint16_t&) noexcept;
template NumberResult lex_number(const char*, const char*, std::int32_t&) noexcept;
template NumberResult lex_number(const char*, const char*, std::int64_t&) noexcept;

}  // namespace sheaf::internal
