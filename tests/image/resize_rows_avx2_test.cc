// resize_passes_test.cc compares the bits of all kernels.

#include "image/resize_passes.h"

#if defined(__x86_64__)

#include <cstdint>

#include <gtest/gtest.h>

#include "image/resize_cases.h"
#include "image/two_values.h"

namespace sheaf::internal {
namespace {

class ResizeRowsAvx2 : public Avx2Test {};

TEST_F(ResizeRowsAvx2, LeavesLargeWeightsToTheBaseline) {
  ResizeMemory memory;
  const auto from = formula_image<std::uint8_t>(2, 3, 3);
  for (const WeightCase& each : kWeightCases) {
    MadeImage<std::uint8_t> to(2, 3, 3);
    TwoValues values(each.first, each.second);
    EXPECT_EQ(resize_rows_avx2(from.read(), 0, values.weights(), to.view, memory), each.is_taken)
        << each.first << " and " << each.second;
  }
}

TEST_F(ResizeRowsAvx2, TakesOneToFourChannels) {
  ResizeMemory memory;
  TwoValues values(1 << 21, 1 << 21);
  for (const std::int64_t channels : {1, 2, 3, 4, 5}) {
    const auto from = formula_image<std::uint8_t>(2, 2, channels);
    MadeImage<std::uint8_t> to(2, 2, channels);
    EXPECT_EQ(resize_rows_avx2(from.read(), 0, values.weights(), to.view, memory), channels <= 4);
  }
}

}  // namespace
}  // namespace sheaf::internal

#endif
