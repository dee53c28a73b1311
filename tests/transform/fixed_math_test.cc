#include "transform/fixed_math.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "sheaf/extend/keyed_generator.h"

namespace sheaf::internal {
namespace {

TEST(FixedMath, LogarithmsAreWithinTwoUnitsInTheLastPlace) {
  KeyedGenerator generator(KeyedGenerator::Key{1, 0});
  for (int i = 0; i < 100'000; ++i) {
    const double x =
        std::ldexp(1 + generator.uniform(), static_cast<int>(generator.below(2000)) - 1000);
    const double expected = std::log(x);
    EXPECT_NEAR(fixed_log(x), expected, std::abs(expected) * 4.5e-16) << x;
    const double near_1 = 1 + (generator.uniform() - 0.5) / 1000;
    EXPECT_NEAR(fixed_log(near_1), std::log(near_1), std::abs(std::log(near_1)) * 4.5e-16);
  }
  EXPECT_EQ(fixed_log(1.0), 0);
  EXPECT_EQ(fixed_log(2.0), std::numbers::ln2);
  const double largest = std::numeric_limits<double>::max();
  EXPECT_DOUBLE_EQ(fixed_log(largest), std::log(largest));
  const double least = std::numeric_limits<double>::min();
  EXPECT_DOUBLE_EQ(fixed_log(least), std::log(least));
}

TEST(FixedMath, PowersMatchTheLibrary) {
  KeyedGenerator generator(KeyedGenerator::Key{2, 0});
  for (int i = 0; i < 10'000; ++i) {
    const double x = generator.uniform();
    const double expected = std::pow(x, 0.85);
    EXPECT_NEAR(fixed_pow(x, 0.85), expected, 1e-14 * expected) << x;
    const double y = 1400 * generator.uniform() - 700;
    EXPECT_NEAR(fixed_exp(y), std::exp(y), 1e-15 * std::exp(y)) << y;
  }
  EXPECT_EQ(fixed_pow(0, 0.85), 0);
  EXPECT_EQ(fixed_pow(1, 0.85), 1);
  EXPECT_EQ(fixed_exp(0), 1);
  EXPECT_EQ(fixed_exp(-701), 0);
}

TEST(FixedMath, CosinesMatchTheLibrary) {
  for (int i = -3000; i <= 3000; ++i) {
    const double turns = i / 1000.0;
    EXPECT_NEAR(fixed_cos(turns), std::cos(2 * std::numbers::pi * turns), 3e-15) << turns;
    EXPECT_NEAR(fixed_sin(turns), std::sin(2 * std::numbers::pi * turns), 3e-15) << turns;
  }
  EXPECT_EQ(fixed_cos(0), 1);
  EXPECT_EQ(fixed_cos(0.25), 0);
  EXPECT_EQ(fixed_cos(0.5), -1);
  EXPECT_EQ(fixed_cos(1), 1);
  EXPECT_EQ(fixed_sin(0.25), 1);
}

// A changed bit changes the data that sheaf delivers.
TEST(FixedMath, MatchesTheGoldenValues) {
  EXPECT_EQ(fixed_log(10.0), 0x1.26bb1bbb55516p+1);
  EXPECT_EQ(fixed_exp(-1.5), 0x1.c8f87724b5c1dp-3);
  EXPECT_EQ(fixed_pow(0.3, 0.85), 0x1.7001210452a96p-2);
  EXPECT_EQ(fixed_cos(0.1), 0x1.9e3779b97f4a8p-1);
  EXPECT_EQ(fixed_sin(0.1), 0x1.2cf2304755a5ep-1);
}

}  // namespace
}  // namespace sheaf::internal
