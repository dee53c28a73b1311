#include "base/saturated.h"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

TEST(Saturated, ASumThatIsTooLargeIsTheLargestNumber) {
  EXPECT_EQ(saturated_sum(2, 3), 5);
  EXPECT_EQ(saturated_sum(kMax - 1, 1), kMax);
  EXPECT_EQ(saturated_sum(kMax, 1), kMax);
  EXPECT_EQ(saturated_sum(kMax, kMax), kMax);
}

TEST(Saturated, AProductThatIsTooLargeIsTheLargestNumber) {
  EXPECT_EQ(saturated_product(2, 3), 6);
  EXPECT_EQ(saturated_product(0, kMax), 0);
  EXPECT_EQ(saturated_product(kMax / 2 + 1, 2), kMax);
  EXPECT_EQ(saturated_product(kMax, kMax), kMax);
}

}  // namespace
}  // namespace sheaf::internal
