/// \file
/// Chosen weights for the passes of a resize.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/simd.h"

#include "image/pillow_axis.h"

namespace sheaf::internal {

/// The weights of an axis of two values with two sources.
struct TwoValues {
  TwoValues(std::int32_t first, std::int32_t second)
      : bounds{0, 2, 0, 2}, values{first, second, second, first} {}

  [[nodiscard]] AxisWeights weights() {
    AxisWeights all;
    all.made = 2;
    all.taps = 2;
    all.bounds = bounds;
    all.values = values;
    return all;
  }

  std::vector<std::int32_t> bounds;
  std::vector<std::int32_t> values;
};

/// A pair of weights, and whether the AVX2 passes accept it. The high parts of a pair may add up to
/// 128, and each may be up to 127.
struct WeightCase {
  std::int32_t first;
  std::int32_t second;
  bool is_taken;
};
inline constexpr std::int32_t kHighPart = 1 << 16;
inline constexpr WeightCase kWeightCases[] = {
    {1 << 21, 1 << 21, true},                 // usual ones
    {96 * kHighPart, -32 * kHighPart, true},  // the largest possible
    {97 * kHighPart, -32 * kHighPart, false},
    {127 * kHighPart, 0, true},
    {128 * kHighPart, 0, false},
};

/// Base of the tests of one instruction set.
class Avx2Test : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::ranges::count(simd_levels(), SimdLevel::avx2) == 0) {
      GTEST_SKIP() << "this machine has no such instructions";
    }
  }
};

}  // namespace sheaf::internal
