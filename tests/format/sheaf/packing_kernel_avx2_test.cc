// packing_kernel_test.cc compares the bits of all kernels.

#include "format/sheaf/packing_kernel.h"

#if defined(__x86_64__)

#include <algorithm>

#include <gtest/gtest.h>

#include "sheaf/extend/simd.h"

namespace sheaf::container {
namespace {

TEST(PackingKernel, AVX2HasItsOwnKernel) {
  if (std::ranges::count(simd_levels(), SimdLevel::avx2) == 0) {
    GTEST_SKIP() << "this machine has no such instructions";
  }
  set_simd_level(SimdLevel::avx2);
  EXPECT_EQ(&packing_kernel(), &packing_kernel_avx2());
  set_simd_level(simd_levels().back());
}

}  // namespace
}  // namespace sheaf::container

#endif
