// The golden numbers come from CNTK with Boost's tables: seed 0, a deviation of 0.1.

#include "transform/ziggurat.h"

#include <cmath>
#include <cstdint>
#include <random>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

TEST(Ziggurat, MatchesBoost) {
  std::mt19937 generator(0);
  const auto bits = [&] { return static_cast<std::uint32_t>(generator()); };
  for (const float expected :
       {-0.067814104F, 0.13108277F, 0.11554801F, -0.092212297F, 0.1209224F, 0.036595494F}) {
    EXPECT_EQ(ziggurat_normal(bits) * 0.1F, expected);
  }
}

TEST(Ziggurat, HasTheMomentsAndTailOfTheNormalDistribution) {
  constexpr int kCount = 1'000'000;
  constexpr double kTail = 3.5;
  std::mt19937 generator(1);
  const auto bits = [&] { return static_cast<std::uint32_t>(generator()); };
  double sum = 0;
  double squares = 0;
  double fourths = 0;
  int in_tail = 0;
  for (int i = 0; i < kCount; ++i) {
    const auto value = static_cast<double>(ziggurat_normal(bits));
    sum += value;
    squares += value * value;
    fourths += value * value * value * value;
    if (std::abs(value) > kTail) ++in_tail;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.005);
  EXPECT_NEAR(squares / kCount, 1, 0.01);
  EXPECT_NEAR(fourths / kCount, 3, 0.05);
  EXPECT_NEAR(in_tail, 465, 110);  // a share of 2 * 0.0002326, within five standard deviations
}

TEST(Ziggurat, UsesOneRandomNumberInMostCases) {
  constexpr int kCount = 100'000;
  std::mt19937 generator(2);
  int taken = 0;
  for (int i = 0; i < kCount; ++i) {
    static_cast<void>(ziggurat_normal([&] {
      ++taken;
      return static_cast<std::uint32_t>(generator());
    }));
  }
  EXPECT_NEAR(taken, 1.03 * kCount, 0.02 * kCount);
}

}  // namespace
}  // namespace sheaf::internal
