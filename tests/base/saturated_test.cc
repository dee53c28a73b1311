#include "base/saturated.h"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

TEST(Saturated, ASumThatIsTooLargeIsTheLargestNumber) {
  EXPECT_EQ(saturated_sum(2, 3), 5);
  EXPECT_EQ(saturated_sum(kLargest - 1, 1), kLargest);
  EXPECT_EQ(saturated_sum(kLargest, 1), kLargest);
  EXPECT_EQ(saturated_sum(kLargest, kLargest), kLargest);
}

TEST(Saturated, AProductThatIsTooLargeIsTheLargestNumber) {
  EXPECT_EQ(saturated_product(2, 3), 6);
  EXPECT_EQ(saturated_product(0, kLargest), 0);
  EXPECT_EQ(saturated_product(kLargest / 2 + 1, 2), kLargest);
  EXPECT_EQ(saturated_product(kLargest, kLargest), kLargest);
}

}  // namespace
}  // namespace sheaf::internal
