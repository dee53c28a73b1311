// mel_kernel_test.cc compares the bits of all kernels.

#include "transform/mel_kernel.h"

#if defined(__x86_64__)

#include <algorithm>

#include <gtest/gtest.h>

#include "sheaf/extend/simd.h"

#include "transform/test_program.h"

namespace sheaf::internal {
namespace {

TEST(MelKernelAvx2, ProcessesOneFramePerLane) {
  if (std::ranges::count(simd_levels(), SimdLevel::avx2) == 0) {
    GTEST_SKIP() << "this machine has no such instructions";
  }
  const MelKernel& kernel = mel_kernel_avx2();
  EXPECT_EQ(kernel.lanes, 4);
  EXPECT_LE(kernel.lanes, kFrameLanesMax);
  const TestProgram test(400, 160, 512, 23);
  EXPECT_EQ(test.frames(kernel, 3 * kernel.lanes - 1, kernel.lanes),
            test.frames(kernel, 3 * kernel.lanes - 1, 1));
}

}  // namespace
}  // namespace sheaf::internal

#endif
