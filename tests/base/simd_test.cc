#include "sheaf/extend/simd.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
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

#if defined(__x86_64__) && defined(__linux__)

// The kernel lists the features that programs may use, including the registers that it saves.
TEST(Simd, KnowsTheLevelsThatTheKernelLists) {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line) && !line.starts_with("flags")) {
  }
  std::istringstream words(line);
  std::vector<std::string> flags;
  for (std::string word; words >> word;) flags.push_back(word);
  if (flags.empty()) GTEST_SKIP() << "/proc/cpuinfo lists no flags";
  const auto has = [&](const char* flag) { return std::ranges::count(flags, flag) > 0; };
  const bool has_avx2 = has("avx2") && has("bmi1") && has("bmi2");
  const bool has_avx512 = has_avx2 && has("avx512f") && has("avx512bw") && has("avx512dq") &&
                          has("avx512vl") && has("avx512vbmi") && has("avx512_vbmi2") &&
                          has("avx512_bitalg");
  const std::vector<SimdLevel> levels = simd_levels();
  EXPECT_EQ(std::ranges::count(levels, SimdLevel::avx2) > 0, has_avx2);
  EXPECT_EQ(std::ranges::count(levels, SimdLevel::avx512) > 0, has_avx512);
}

#endif

TEST(Simd, LevelsHaveNames) {
  EXPECT_EQ(to_string(SimdLevel::baseline), "baseline");
  EXPECT_EQ(to_string(SimdLevel::avx2), "avx2");
  EXPECT_EQ(to_string(SimdLevel::avx512), "avx512");
}

}  // namespace
}  // namespace sheaf
