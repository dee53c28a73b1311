/// \file
/// Logarithms, powers and cosines whose bits are the same on every machine and with every
/// instruction set. The functions use only additions, products, divisions and square roots, each
/// rounded as IEEE 754 requires, in a fixed order.
///
/// Files that include this header must be compiled without fused products and sums: see
/// src/CMakeLists.txt.

#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace sheaf::internal {

inline constexpr double kLn2High = 0x1.62e42feep-1;       // ln 2 with its last 21 bits 0
inline constexpr double kLn2Low = 0x1.a39ef35793c76p-33;  // ln 2 - kLn2High
inline constexpr double kTwoPi = 0x1.921fb54442d18p+2;
inline constexpr double kInverseLn2 = 0x1.71547652b82fep+0;  // 1 / ln 2

/// Returns the natural logarithm, with an error below two units in the last place.
///
/// Pre: x is positive, finite and not denormal. `Real` is double, or a vector of doubles with
///      `Word` a vector of as many 64-bit words.
template <typename Real, typename Word = std::uint64_t>
[[nodiscard]] inline Real fixed_log(const Real& x) noexcept {
  // x = 2^exponent * mantissa, with the mantissa between the square roots of 1/2 and 2.
  constexpr std::uint64_t kOne = 0x3FF0000000000000;
  constexpr std::uint64_t kRootOfHalf = 0x3FE6A09E667F3BCD;
  constexpr std::uint64_t kTwoTo52 = 0x4330000000000000;
  // std::bit_cast is avoided, since it is compiled for the instruction set of its own header.
  const Word bits = __builtin_bit_cast(Word, x);
  const Word biased = (bits + (kOne - kRootOfHalf)) >> 52U;
  const Real mantissa = __builtin_bit_cast(Real, bits + kOne - (biased << 52U));
  const Real exponent = __builtin_bit_cast(Real, biased | kTwoTo52) - (0x1p52 + 1023);
  // ln m = 2 artanh(r), r = (m - 1) / (m + 1): 2 (r + r^3/3 + r^5/5 + ...), |r| < 0.172.
  const Real ratio = (mantissa - 1.0) / (mantissa + 1.0);
  const Real square = ratio * ratio;
  Real sum = square * (1.0 / 21.0) + 1.0 / 19.0;
  sum = sum * square + 1.0 / 17.0;
  sum = sum * square + 1.0 / 15.0;
  sum = sum * square + 1.0 / 13.0;
  sum = sum * square + 1.0 / 11.0;
  sum = sum * square + 1.0 / 9.0;
  sum = sum * square + 1.0 / 7.0;
  sum = sum * square + 1.0 / 5.0;
  sum = sum * square + 1.0 / 3.0;
  const Real tail = ratio * square * sum + exponent * (0.5 * kLn2Low);
  return exponent * kLn2High + 2.0 * (ratio + tail);
}

/// Returns e to the power of x, with an error below two units in the last place; 0 if x < -700.
///
/// Pre: x <= 700.
[[nodiscard]] inline double fixed_exp(double x) noexcept {
  constexpr double kLimit = 700;
  constexpr int kTerms = 14;
  assert(x <= kLimit);
  if (x < -kLimit) return 0;
  const double power = std::floor(x * kInverseLn2 + 0.5);
  const double rest = (x - power * kLn2High) - power * kLn2Low;
  double sum = 1;
  for (int n = kTerms; n > 0; --n) sum = 1 + sum * rest / n;
  const auto biased = static_cast<std::uint64_t>(static_cast<std::int64_t>(power) + 1023);
  return sum * std::bit_cast<double>(biased << 52U);
}

/// Returns x to the power of y.
///
/// Pre: 0 <= x <= 1; y > 0.
[[nodiscard]] inline double fixed_pow(double x, double y) noexcept {
  assert(x >= 0 && x <= 1 && y > 0);
  return x < 0x1p-1000 ? 0 : fixed_exp(y * fixed_log(x));
}

/// Returns the cosine of `turns` whole turns: cos(2 pi * turns).
///
/// Pre: turns is finite.
[[nodiscard]] inline double fixed_cos(double turns) noexcept {
  // 1/n! for even and for odd n, with the signs of the series.
  constexpr std::array<double, 10> kEven = {1.0,
                                            -1.0 / 2,
                                            1.0 / 24,
                                            -1.0 / 720,
                                            1.0 / 40320,
                                            -1.0 / 3628800,
                                            1.0 / 479001600,
                                            -1.0 / 87178291200,
                                            1.0 / 20922789888000,
                                            -1.0 / 6402373705728000};
  constexpr std::array<double, 10> kOdd = {1.0,
                                           -1.0 / 6,
                                           1.0 / 120,
                                           -1.0 / 5040,
                                           1.0 / 362880,
                                           -1.0 / 39916800,
                                           1.0 / 6227020800,
                                           -1.0 / 1307674368000,
                                           1.0 / 355687428096000,
                                           -1.0 / 121645100408832000.0};
  const auto series = [](const std::array<double, 10>& factors, double square) {
    double sum = factors.back();
    for (std::size_t i = factors.size() - 1; i-- > 0;) sum = factors[i] + sum * square;
    return sum;
  };
  double part = turns < 0 ? -turns : turns;
  part -= std::floor(part);
  if (part > 0.5) part = 1 - part;
  const double sign = part > 0.25 ? -1 : 1;
  if (part > 0.25) part = 0.5 - part;
  if (part <= 0.125) {
    const double angle = kTwoPi * part;
    return sign * series(kEven, angle * angle);
  }
  const double angle = kTwoPi * (0.25 - part);
  return sign * (angle * series(kOdd, angle * angle));
}

/// Returns the sine of `turns` whole turns.
///
/// Pre: turns is finite.
[[nodiscard]] inline double fixed_sin(double turns) noexcept { return fixed_cos(turns - 0.25); }

}  // namespace sheaf::internal
