#include "ops/report/value_bins.h"

#include <limits>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

TEST(ValueBins, AFloatLiesInItsBin) {
  for (const float value : {0.0F, 1.0F, 1.124F, 2.5F, 1e-30F, 3e38F, 1e-42F}) {
    const ValueRange range = range_of_bin(ElementType::f32, float_bin(value));
    EXPECT_LE(range.low, value);
    EXPECT_GT(range.high, value);
    const ValueRange negative = range_of_bin(ElementType::f32, float_bin(-value));
    EXPECT_LT(negative.low, -value + (value == 0 ? 1 : 0));
    EXPECT_GE(negative.high, -value);
  }
}

TEST(ValueBins, EightBinsSpanOneToTwo) {
  const std::uint32_t one = float_bin(1);
  EXPECT_EQ(range_of_bin(ElementType::f32, one).high, 1.125);
  EXPECT_EQ(float_bin(2), one + 8);
}

TEST(ValueBins, TheLastBinEndsAtTheLargestNumber) {
  const float largest = std::numeric_limits<float>::max();
  EXPECT_EQ(range_of_bin(ElementType::f32, float_bin(largest)).high, largest);
}

TEST(ValueBins, SmallIntegersHaveTheirOwnBins) {
  EXPECT_EQ(range_of_bin(ElementType::u8, 200).low, 200);
  EXPECT_EQ(range_of_bin(ElementType::u8, 200).high, 201);
  EXPECT_EQ(range_of_bin(ElementType::u16, 4095).low, 65'520);
  EXPECT_EQ(range_of_bin(ElementType::u16, 4095).high, 65'536);
}

}  // namespace
}  // namespace sheaf::internal
