// resize_passes_test.cc compares the bits of all kernels.

#include "image/resize_passes.h"

#if defined(__x86_64__)

#include <cstdint>

#include <gtest/gtest.h>

#include "image/resize_cases.h"
#include "image/two_values.h"

namespace sheaf::internal {
namespace {

class ResizeColumnsAvx2 : public Avx2Test {};

TEST_F(ResizeColumnsAvx2, LeavesLargeWeightsToTheBaseline) {
  const auto from = formula_image<std::uint8_t>(11, 2, 3);
  for (const WeightCase& each : kWeightCases) {
    MadeImage<std::uint8_t> to(11, 2, 3);
    TwoValues values(each.first, each.second);
    EXPECT_EQ(resize_columns_avx2(from.read(), 0, values.weights(), to.view), each.is_taken)
        << each.first << " and " << each.second;
  }
}

TEST_F(ResizeColumnsAvx2, LeavesShortRowsToTheBaseline) {
  TwoValues values(1 << 21, 1 << 21);
  for (const std::int64_t width : {31, 32, 33}) {
    const auto from = formula_image<std::uint8_t>(width, 2, 1);
    MadeImage<std::uint8_t> to(width, 2, 1);
    EXPECT_EQ(resize_columns_avx2(from.read(), 0, values.weights(), to.view), width >= 32);
  }
}

}  // namespace
}  // namespace sheaf::internal

#endif
