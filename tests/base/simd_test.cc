#include "sheaf/extend/simd.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf {
namespace {

TEST(Simd, UsesTheBestUnlessTold) {
  const std::vector<SimdLevel> levels = simd_levels();
  ASSERT_FALSE(levels.empty());
  EXPECT_EQ(levels.front(), SimdLevel::baseline);
  EXPECT_TRUE(std::ranges::is_sorted(levels));
  EXPECT_EQ(simd_level(), levels.back());
  for (const SimdLevel level : levels) {
    EXPECT_TRUE(set_simd_level(level));
    EXPECT_EQ(simd_level(), level);
  }
}

TEST(Simd, RefusesWhatTheMachineLacks) {
  const SimdLevel before = simd_level();
  const std::vector<SimdLevel> levels = simd_levels();
  for (const SimdLevel level : {SimdLevel::avx2, SimdLevel::avx512}) {
    const bool is_there = std::ranges::count(levels, level) > 0;
    EXPECT_EQ(set_simd_level(level), is_there) << to_string(level);
  }
  EXPECT_TRUE(set_simd_level(before));
}

TEST(Simd, LevelsHaveNames) {
  EXPECT_EQ(to_string(SimdLevel::baseline), "baseline");
  EXPECT_EQ(to_string(SimdLevel::avx2), "avx2");
  EXPECT_EQ(to_string(SimdLevel::avx512), "avx512");
}

}  // namespace
}  // namespace sheaf
