#include "sheaf/float16.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace sheaf {
namespace {

/// Returns the value of bits by the definition of IEEE 754.
template <typename T>
double defined_value(unsigned bits) {
  const int exponent_max = (1 << T::kExponentBits) - 1;
  const int bias = exponent_max / 2;
  const unsigned fraction_end = 1U << T::kFractionBits;
  const unsigned fraction = bits % fraction_end;
  const int exponent = static_cast<int>(bits / fraction_end) & exponent_max;
  const double sign = bits >= 0x8000 ? -1 : 1;
  if (exponent == exponent_max) return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  const unsigned hidden = exponent == 0 ? 0 : fraction_end;
  return sign * std::ldexp(hidden + fraction, std::max(exponent, 1) - bias - T::kFractionBits);
}

template <typename T>
void check_all_numbers() {
  for (unsigned bits = 0; bits <= 0xffff; ++bits) {
    const T number{static_cast<std::uint16_t>(bits)};
    const double value = defined_value<T>(bits);
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(to_float(number))) << bits;
      ASSERT_TRUE(std::isnan(to_float(nearest<T>(std::nan(""))))) << bits;
      continue;
    }
    ASSERT_EQ(std::bit_cast<std::uint32_t>(to_float(number)),
              std::bit_cast<std::uint32_t>(static_cast<float>(value)))
        << bits;
    ASSERT_EQ(nearest<T>(value), number) << bits;
  }
}

TEST(Float16, AllNumbersComeBackAsTheyWere) {
  check_all_numbers<Float16>();
  check_all_numbers<BFloat16>();
}

/// Checks the middle between each number from 0 to the largest number, and its successor.
template <typename T>
void check_middles() {
  const auto infinity = static_cast<unsigned>(nearest<T>(HUGE_VAL).bits);
  for (unsigned bits = 0; bits < infinity; ++bits) {
    const double lower = defined_value<T>(bits);
    // Half a step above the largest number is the middle to the number that would follow.
    const double upper = bits + 1 == infinity ? lower + (lower - defined_value<T>(bits - 1))
                                              : defined_value<T>(bits + 1);
    const double middle = (lower + upper) / 2;
    const unsigned even = bits % 2 == 0 ? bits : bits + 1;
    ASSERT_EQ(nearest<T>(middle).bits, even) << bits;
    ASSERT_EQ(nearest<T>(-middle).bits, even | 0x8000U) << bits;
    ASSERT_EQ(nearest<T>(std::nextafter(middle, 0)).bits, bits);
    ASSERT_EQ(nearest<T>(std::nextafter(middle, HUGE_VAL)).bits, bits + 1);
  }
}

TEST(Float16, ValuesBetweenRoundToTheNearestNumber) {
  check_middles<Float16>();
  check_middles<BFloat16>();
}

TEST(Float16, ValuesBeyondBecomeZeroOrInfinity) {
  constexpr double kMax = std::numeric_limits<double>::max();
  constexpr double kMin = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(to_float16(kMax).bits, 0x7c00);
  EXPECT_EQ(to_float16(-kMax).bits, 0xfc00);
  EXPECT_EQ(to_float16(kMin).bits, 0);
  EXPECT_EQ(to_float16(-kMin).bits, 0x8000);
  EXPECT_EQ(to_bfloat16(kMax).bits, 0x7f80);
  EXPECT_EQ(to_bfloat16(-kMin).bits, 0x8000);
  EXPECT_EQ(to_bfloat16(-0.0).bits, 0x8000);
  EXPECT_EQ(to_float16(65'504).bits, 0x7bff);
  EXPECT_EQ(to_float16(0x1p-24).bits, 1);
}

}  // namespace
}  // namespace sheaf
