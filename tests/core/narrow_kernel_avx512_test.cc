// narrow_kernel_test.cc compares the bytes of all kernels.

#include "core/narrow_kernel.h"

#if defined(__x86_64__)

#include <algorithm>

#include <gtest/gtest.h>

#include "sheaf/extend/simd.h"

namespace sheaf::internal {
namespace {

TEST(NarrowKernel, AVX512HasItsOwnKernel) {
  if (std::ranges::count(simd_levels(), SimdLevel::avx512) == 0) {
    GTEST_SKIP() << "this machine has no such instructions";
  }
  set_simd_level(SimdLevel::avx512);
  EXPECT_EQ(&narrow_kernel(), &narrow_kernel_avx512());
  set_simd_level(simd_levels().back());
}

}  // namespace
}  // namespace sheaf::internal

#endif
