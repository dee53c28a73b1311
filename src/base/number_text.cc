#include "base/number_text.h"

#include <array>
#include <bit>
#include <cassert>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <limits>
#include <system_error>

#include "base/number.h"

// Finds the shortest decimal of a binary number x = c * 2^q, where c has p bits.
//
// All numbers that round to x lie between (c - 1/2) * 2^q and (c + 1/2) * 2^q, the middles between
// x and its two neighbours. Both ends are included if c is even, since ties go to even. If c is a
// power of two, the neighbour below is only half as far. Let w be the width of this interval, and
// 10^-n the largest power of ten that is at most w. Then at least one multiple of 10^-n lies in the
// interval, and at most one multiple of 10^(1-n):
//
// 1. If a multiple of 10^(1-n) lies in the interval, the result is this number without its trailing
//    zeros. Any shorter number would be such a multiple, too.
// 2. Otherwise the result is the multiple of 10^-n in the interval that is nearest to x.
//
// In multiples of 2^(q-2) * 10^-n, the ends and the middle of the interval are the integers (4c -+
// 2) * 5^n and 4c * 5^n. Shifting them right by 2 - q - n gives multiples of 10^-n. For 0 >= q >=
// -88, we have 5^n <= 5^27. So the integers have less than 128 bits and are computed exactly, and
// no table of rounded powers is needed, whose errors would have to be bounded. Numbers beyond this
// range are rare in data. std::to_chars finds their digits.
//
// In multiples of 10^-n, the result has as many decimal digits as a number of p bits, or one or two
// more. One product aligns the digits to the left: the first digit, and words of eight digits, each
// digit in a byte. Trailing zeros are then the last bytes of a word, and no loop depends on the
// number of digits.

namespace sheaf {
namespace {

static_assert(std::endian::native == std::endian::little, "the first byte of a word is its lowest");

__extension__ using Wide = unsigned __int128;

constexpr int kExponentMin = -88;    // q: for powers of two down to this one ...
constexpr int kPowerMax = 27;        // n: ... these powers of ten suffice
constexpr int kExponentMin64 = -51;  // if c has 24 bits, 64 bits suffice down to this q

/// Returns the first powers of `base`.
template <std::size_t kCount>
constexpr std::array<std::uint64_t, kCount> powers_of(std::uint64_t base) {
  std::array<std::uint64_t, kCount> powers{1};
  for (std::size_t n = 1; n < powers.size(); ++n) powers[n] = base * powers[n - 1];
  return powers;
}

constexpr auto kPowersOf5 = powers_of<kPowerMax + 1>(5);
constexpr auto kPowersOf10 = powers_of<20>(10);

/// n by -q, for intervals of width 2^q ([0]) and of width 3/4 * 2^q ([1]). n is the smallest number
/// with a width of at least 10^-n.
constexpr auto kPowers = [] {
  std::array<std::array<std::uint8_t, 1 - kExponentMin>, 2> powers{};
  for (std::size_t i = 0; i < powers[0].size(); ++i) {
    std::uint8_t n = 0;
    for (Wide ten_to_n = 1; ten_to_n < Wide{1} << i; ten_to_n *= 10) ++n;
    powers[0][i] = n;
    n = 0;
    for (Wide ten_to_n = 1; 3 * ten_to_n < Wide{4} << i; ten_to_n *= 10) ++n;
    powers[1][i] = n;
  }
  return powers;
}();
static_assert(kPowers[0].back() == kPowerMax && kPowers[1].back() == kPowerMax);

/// Returns the number of decimal digits, which is 1 for 0.
int digit_count(std::uint64_t value) noexcept {
  value |= 1;
  // 1233 / 4096 is slightly more than log10(2). There is one more digit if the value reaches the
  // power of ten.
  const int guess = (static_cast<int>(std::bit_width(value)) * 1233) >> 12;
  return guess + (value >= kPowersOf10[static_cast<std::size_t>(guess)] ? 1 : 0);
}

constexpr std::uint64_t kZeros = 0x3030303030303030;

/// Returns eight digits as text, the first one in the lowest byte.
///
/// Pre: value < 10^8.
std::uint64_t eight_digits(std::uint64_t value) noexcept {
  // Divides into halves, quarters, and single digits. In each lane, the quotient goes to the lower
  // part and the remainder to the upper part. The factors are 2^20 / 10^2 and 2^10 / 10, rounded
  // up.
  const std::uint64_t halves = value / 10'000 | (value % 10'000) << 32;
  const std::uint64_t hundreds = ((halves * 10'486) >> 20) & 0x0000007F0000007F;
  const std::uint64_t quarters = hundreds | (halves - 100 * hundreds) << 16;
  const std::uint64_t tens = ((quarters * 103) >> 10) & 0x000F000F000F000F;
  return (tens | (quarters - 10 * tens) << 8) | kZeros;
}

void store_word(char* out, std::uint64_t word) noexcept { std::memcpy(out, &word, sizeof word); }

/// A floating-point type.
template <typename T>
struct Traits;
template <>
struct Traits<float> {
  using Bits = std::uint32_t;
  static constexpr int kDigits = 9;  // the most digits of any shortest decimal
};
template <>
struct Traits<double> {
  using Bits = std::uint64_t;
  static constexpr int kDigits = 17;
};

/// The number digits * 10^(point - kDigits). `digits` has kDigits digits. The first digit is not 0,
/// but the last may be.
struct Decimal {
  std::uint64_t digits;
  int point;
};

std::uint64_t shifted(std::uint64_t word, int shift) noexcept { return word >> shift; }

/// Pre: 0 < shift < 64; the result fits.
std::uint64_t shifted(Wide word, int shift) noexcept {
  return static_cast<std::uint64_t>(word >> 64) << (64 - shift) |
         static_cast<std::uint64_t>(word) >> shift;
}

/// The number digits * 10^-decimals.
struct ShortestDigits {
  std::uint64_t digits;
  int decimals;
};

/// Returns the shortest decimal of c * 2^q. Its last digits may be 0. `is_power` says that c is a
/// power of two whose neighbour below is only half as far.
///
/// Pre: 0 >= q >= kExponentMin; if Word is not Wide, also q >= kExponentMin64 and c < 2^24.
template <typename Word>
ShortestDigits shortest_digits(std::uint64_t c, int q, bool is_power) noexcept {
  const int n = kPowers[is_power ? 1 : 0][static_cast<std::size_t>(-q)];
  const std::uint64_t power = kPowersOf5[static_cast<std::size_t>(n)];
  const int shift = 2 - q - n;
  assert(shift >= 2 && shift < 64);
  const Word middle = Word{4 * c} * power;
  // Excluded ends are moved inwards by one.
  const std::uint64_t is_open = c & 1;
  const Word least = middle - (is_power ? power : 2 * power) + is_open;
  const Word most = middle + 2 * power - is_open;
  const std::uint64_t one = std::uint64_t{1} << shift;
  const std::uint64_t first = shifted(least + (one - 1), shift);
  const std::uint64_t last = shifted(most, shift);
  const std::uint64_t tens = last / 10 * 10;
  const std::uint64_t is_odd = shifted(middle, shift) & 1;
  std::uint64_t digits = shifted(middle + (one / 2 - 1 + is_odd), shift);
  digits = digits < first ? first : digits;
  digits = digits > last ? last : digits;
  // Avoids a branch, since the choice is close to random for most data.
  const std::uint64_t takes_tens = 0 - static_cast<std::uint64_t>(tens >= first);
  digits = (tens & takes_tens) | (digits & ~takes_tens);
  return {digits, n};
}

/// Returns shortest_digits() in the form of Decimal. `c` has as many bits as a T.
template <typename T, typename Word>
Decimal shortest(std::uint64_t c, int q, bool is_power) noexcept {
  const auto [digits, n] = shortest_digits<Word>(c, q, is_power);
  // 10^-n is at least a tenth of the width, so the digits are from 2^(p-1) to 10 * 2^p.
  constexpr int kDigits = Traits<T>::kDigits;
  int count = kDigits;
  std::uint64_t factor = 1;
  for (int less = 1; less <= (kDigits == 9 ? 2 : 1); ++less) {
    const bool has_less = digits < kPowersOf10[static_cast<std::size_t>(kDigits - less)];
    count -= has_less ? 1 : 0;
    factor = has_less ? kPowersOf10[static_cast<std::size_t>(less)] : factor;
  }
  return {digits * factor, count - n};
}

/// Returns the digits that std::to_chars finds.
template <typename T>
Decimal any_shortest(T value) noexcept {
  std::array<char, 32> text{};  // at most 17 digits and six other bytes, as in "d.ddde-xxx"
  const std::to_chars_result end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific);
  assert(end.ec == std::errc());
  Decimal decimal{0, 1};
  int count = 0;
  const char* p = text.data();
  for (; *p != 'e'; ++p) {
    if (*p == '.') continue;
    decimal.digits = 10 * decimal.digits + static_cast<std::uint64_t>(*p - '0');
    ++count;
  }
  assert(count <= Traits<T>::kDigits);
  decimal.digits *= kPowersOf10[static_cast<std::size_t>(Traits<T>::kDigits - count)];
  const bool is_negative = *++p == '-';
  int exponent = 0;
  for (++p; p != end.ptr; ++p) exponent = 10 * exponent + (*p - '0');
  decimal.point += is_negative ? -exponent : exponent;
  return decimal;
}

/// The digits of a decimal as text: the first digit, and one or two words of eight.
template <typename T>
class DigitText {
 public:
  explicit DigitText(std::uint64_t digits) noexcept {
    constexpr std::uint64_t kEight = 100'000'000;
    std::uint64_t rest = digits;
    if constexpr (kIsLong) {
      rest = digits / kEight;
      low_ = eight_digits(digits % kEight);
    }
    first_ = static_cast<char>('0' + rest / kEight);
    high_ = eight_digits(rest % kEight);
    size_ = 9 - std::countl_zero(high_ ^ kZeros) / 8;
    if (kIsLong && low_ != kZeros) size_ = 17 - std::countl_zero(low_ ^ kZeros) / 8;
  }

  /// Returns the number of digits without trailing zeros.
  [[nodiscard]] int size() const noexcept { return size_; }

  /// Writes "ddd".
  void write(char* out) const noexcept {
    *out = first_;
    store_word(out + 1, high_);
    if constexpr (kIsLong) store_word(out + 9, low_);
  }

  /// Writes "d.dd", with `point` digits before the point.
  ///
  /// Pre: 1 <= point <= 16; point <= 8 if T is float.
  void write_with_point(char* out, int point) const noexcept {
    *out = first_;
    if (point <= 8) {
      insert_point(out + 1, high_, point - 1);
      if constexpr (kIsLong) store_word(out + 10, low_);
    } else {
      store_word(out + 1, high_);
      insert_point(out + 9, low_, point - 9);
    }
  }

 private:
  static constexpr bool kIsLong = Traits<T>::kDigits > 9;

  /// Writes a word with a point behind its first `front_size` digits.
  static void insert_point(char* out, std::uint64_t word, int front_size) noexcept {
    const std::uint64_t front = (std::uint64_t{1} << (8 * front_size)) - 1;
    store_word(out, (word & front) | std::uint64_t{'.'} << (8 * front_size) | (word & ~front) << 8);
    out[8] = static_cast<char>(word >> 56);
  }

  char first_;
  std::uint64_t high_;
  std::uint64_t low_ = kZeros;
  int size_;
};

/// Writes a number that is no integer below 1e16.
template <typename T>
char* write_decimal(char* out, const Decimal& decimal) noexcept {
  const DigitText<T> digits(decimal.digits);
  const int point = decimal.point;
  if (point > 16 || point < -3) {  // d.ddde-x
    digits.write_with_point(out, 1);
    char* end = out + (digits.size() == 1 ? 1 : digits.size() + 1);
    *end++ = 'e';
    const int exponent = point - 1;
    if (exponent < 0) *end++ = '-';
    return write_number(end, static_cast<std::uint64_t>(exponent < 0 ? -exponent : exponent));
  }
  if (point <= 0) {  // 0.000ddd
    store_word(out, 0x3030303030302E30);
    digits.write(out + 2 - point);
    return out + 2 - point + digits.size();
  }
  digits.write_with_point(out, point);
  return out + digits.size() + 1;
}

template <typename T>
char* write_floating(char* out, T value) noexcept {
  using Bits = typename Traits<T>::Bits;
  constexpr int kMantissaBits = std::numeric_limits<T>::digits - 1;
  constexpr Bits kHidden = Bits{1} << kMantissaBits;
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  const auto bits = std::bit_cast<Bits>(value);
  *out = '-';
  out += (bits & kSign) != 0 ? 1 : 0;
  const Bits mantissa = bits & (kHidden - 1);
  const int exponent = static_cast<int>((bits & ~kSign) >> kMantissaBits);
  const T size = std::bit_cast<T>(static_cast<Bits>(bits & ~kSign));
  assert(size <= std::numeric_limits<T>::max());

  if (size < static_cast<T>(1e16)) {
    const auto whole = static_cast<std::int64_t>(size);
    if (static_cast<T>(whole) == size) return write_number(out, static_cast<std::uint64_t>(whole));
  }
  constexpr int kBias = std::numeric_limits<T>::max_exponent - 1 + kMantissaBits;
  const int q = exponent - kBias;
  const std::uint64_t c = mantissa | kHidden;
  if constexpr (sizeof(T) == sizeof(float)) {
    if (q <= 0 && q >= kExponentMin64) {
      return write_decimal<T>(out, shortest<T, std::uint64_t>(c, q, mantissa == 0));
    }
  }
  if (q > 0 || q < kExponentMin || exponent == 0) return write_decimal<T>(out, any_shortest(size));
  return write_decimal<T>(out, shortest<T, Wide>(c, q, mantissa == 0));
}

/// Returns a number of at most nine digits in the form of Decimal.
///
/// Pre: 0 < digits < 10^9.
Decimal aligned(std::uint64_t digits, int power) noexcept {
  const int count = digit_count(digits);
  constexpr int kDigits = Traits<float>::kDigits;
  return {digits * kPowersOf10[static_cast<std::size_t>(kDigits - count)], count + power};
}

/// Finds the shortest decimal of a 16-bit number by trying one digit, two digits, and so on. Tries
/// the nearest number first. If the neighbour below is only half as far, the nearest number may lie
/// beyond the middle to that neighbour, while the next number above does not.
template <typename T>
Decimal tried_shortest(T value) noexcept {
  for (int digits = 1;; ++digits) {
    std::array<char, 32> text{};
    const auto written = std::to_chars(text.data(), text.data() + text.size(), to_float(value),
                                       std::chars_format::scientific, digits - 1);
    std::uint64_t number = 0;
    const char* p = text.data();
    for (; *p != 'e'; ++p) {
      if (*p != '.') number = 10 * number + static_cast<std::uint64_t>(*p - '0');
    }
    int power = 0;
    std::from_chars(p + 2, written.ptr, power);
    power = (p[1] == '-' ? -power : power) - (digits - 1);
    for (const std::uint64_t candidate : {number, number + 1}) {
      char* end = write_number(text.data(), candidate);
      *end++ = 'e';
      end = write_number(end, static_cast<std::int64_t>(power));
      T back{};
      static_cast<void>(internal::lex_number(text.data(), end, back));
      if (back == value) return aligned(candidate, power);
    }
  }
}

template <typename T>
char* write_half(char* out, T value) noexcept {
  constexpr std::uint32_t kHidden = 1U << T::kFractionBits;
  constexpr int kBias = (1 << (T::kExponentBits - 1)) - 1 + T::kFractionBits;
  *out = '-';
  out += value.bits >> 15;
  const T size{static_cast<std::uint16_t>(value.bits & 0x7fffU)};
  const float number = to_float(size);
  assert(number <= std::numeric_limits<float>::max());
  if (number < 1e16F) {
    const auto whole = static_cast<std::int64_t>(number);
    if (static_cast<float>(whole) == number) return write_number(out, whole);
  }
  const std::uint32_t mantissa = size.bits & (kHidden - 1);
  const int exponent = size.bits >> T::kFractionBits;
  const int q = exponent - kBias;
  if (q > 0 || q < kExponentMin64 || exponent == 0) {
    return write_decimal<float>(out, tried_shortest(size));
  }
  // The neighbour below the smallest normal number is as far as the neighbour above.
  const bool is_power = mantissa == 0 && exponent > 1;
  const ShortestDigits found = shortest_digits<std::uint64_t>(mantissa | kHidden, q, is_power);
  return write_decimal<float>(out, aligned(found.digits, -found.decimals));
}

}  // namespace

char* write_number(char* out, std::uint64_t value) noexcept {
  constexpr std::uint64_t kEight = 100'000'000;
  if (value < 10) {
    *out = static_cast<char>('0' + value);
    return out + 1;
  }
  if (value >= kEight) {
    out = write_number(out, value / kEight);
    store_word(out, eight_digits(value % kEight));
    return out + 8;
  }
  const int count = digit_count(value);
  store_word(out, eight_digits(value * kPowersOf10[static_cast<std::size_t>(8 - count)]));
  return out + count;
}

char* write_number(char* out, std::int64_t value) noexcept {
  *out = '-';
  const bool is_negative = value < 0;
  const auto size = static_cast<std::uint64_t>(value);
  return write_number(out + (is_negative ? 1 : 0), is_negative ? 0 - size : size);
}

char* write_number(char* out, float value) noexcept { return write_floating(out, value); }

char* write_number(char* out, double value) noexcept { return write_floating(out, value); }

char* write_number(char* out, Float16 value) noexcept { return write_half(out, value); }

char* write_number(char* out, BFloat16 value) noexcept { return write_half(out, value); }

}  // namespace sheaf
