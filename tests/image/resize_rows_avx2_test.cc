// resize_passes_test.cc compares the bits of all kernels.

#include "image/resize_passes.h"

#if defined(__x86_64__)

#include <cstdint>

#include <gtest/gtest.h>

#include "image/two_values.h"

namespace sheaf::internal {
namespace {

class ResizeRowsAvx2 : public Avx2Test {};

TEST_F(ResizeRowsAvx2, LeavesLargeWeightsToTheBaseline) {
  ResizeMemory memory;
  for (const WeightCase& each : kWeightCases) {
    TwoValues values(each.first, each.second);
    EXPECT_EQ(plan_rows_avx2(values.weights(), 2, 3, memory), each.is_taken ? 1 : 0)
        << each.first << " and " << each.second;
  }
}

TEST_F(ResizeRowsAvx2, SupportsOneToFourChannels) {
  ResizeMemory memory;
  TwoValues values(1 << 21, 1 << 21);
  for (const std::int64_t channels : {1, 2, 3, 4, 5}) {
    EXPECT_EQ(plan_rows_avx2(values.weights(), 2, channels, memory), channels <= 4 ? 1 : 0);
  }
}

}  // namespace
}  // namespace sheaf::internal

#endif
