// resize_passes_test.cc compares the bits of all kernels.

#include "image/resize_passes.h"

#if defined(__x86_64__)

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/simd.h"

#include "image/resize_cases.h"

namespace sheaf::internal {
namespace {

/// Two values of two sources each, with these weights.
struct TwoValues {
  explicit TwoValues(std::int32_t first, std::int32_t second)
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

class ResizePassesAvx2 : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::ranges::count(simd_levels(), SimdLevel::avx2) == 0) {
      GTEST_SKIP() << "this machine has no such instructions";
    }
  }
  ResizeMemory memory_;
};

// A pair of weights whose high parts are 128 together is the largest that cannot be clipped.
TEST_F(ResizePassesAvx2, LeavesLargeWeightsToTheBaseline) {
  constexpr std::int32_t kUnit = 1 << 16;  // of a high part
  const auto from = formula_image<std::uint8_t>(2, 2, 3);
  const auto tall = formula_image<std::uint8_t>(11, 2, 3);
  const auto is_taken = [&](std::int32_t first, std::int32_t second) {
    MadeImage<std::uint8_t> rows(2, 2, 3);
    MadeImage<std::uint8_t> columns(11, 2, 3);
    TwoValues values(first, second);
    const bool takes_rows = resize_rows_avx2(from.read(), 0, values.weights(), rows.view, memory_);
    EXPECT_EQ(resize_columns_avx2(tall.read(), 0, values.weights(), columns.view, memory_),
              takes_rows);
    return takes_rows;
  };
  EXPECT_TRUE(is_taken(96 * kUnit, -32 * kUnit));
  EXPECT_FALSE(is_taken(97 * kUnit, -32 * kUnit));
  EXPECT_TRUE(is_taken(127 * kUnit, 0));
  EXPECT_FALSE(is_taken(128 * kUnit, 0));
}

TEST_F(ResizePassesAvx2, TakesOneToFourChannels) {
  TwoValues values(1 << 21, 1 << 21);
  for (const std::int64_t channels : {1, 2, 3, 4, 5}) {
    const auto from = formula_image<std::uint8_t>(2, 2, channels);
    MadeImage<std::uint8_t> to(2, 2, channels);
    EXPECT_EQ(resize_rows_avx2(from.read(), 0, values.weights(), to.view, memory_), channels <= 4);
  }
}

TEST_F(ResizePassesAvx2, LeavesShortRowsToTheBaseline) {
  TwoValues values(1 << 21, 1 << 21);
  for (const std::int64_t width : {31, 32, 33}) {
    const auto from = formula_image<std::uint8_t>(width, 2, 1);
    MadeImage<std::uint8_t> to(width, 2, 1);
    EXPECT_EQ(resize_columns_avx2(from.read(), 0, values.weights(), to.view, memory_), width >= 32);
  }
}

}  // namespace
}  // namespace sheaf::internal

#endif
