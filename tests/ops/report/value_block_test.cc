#include "ops/report/value_block.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/float16.h"

namespace sheaf::internal {
namespace {

template <typename T>
ValueStat stat_of(const std::vector<T>& values, std::int64_t* left = nullptr) {
  const auto block = std::make_unique<ValueBlock>();
  load_block(element_type_of<T>, reinterpret_cast<const std::byte*>(values.data()),
             std::ssize(values), *block);
  ValueStat stat = take_stat(element_type_of<T>, *block);
  if (left != nullptr) *left = block->count;
  return stat;
}

TEST(ValueBlock, ComputesStatistics) {
  const ValueStat stat = stat_of<float>({1, 0, -0.0F, 5, -2});
  EXPECT_EQ(stat.count, 5);
  EXPECT_EQ(stat.zeros, 2);
  EXPECT_EQ(stat.min, -2);
  EXPECT_EQ(stat.max, 5);
  EXPECT_DOUBLE_EQ(stat.mean, 0.8);
  EXPECT_DOUBLE_EQ(stat.squares, 0.04 + 2 * 0.64 + 17.64 + 7.84);
}

TEST(ValueBlock, HandlesEveryTypeAndCountAroundTheLanes) {
  for (std::int64_t count = 1; count <= 40; ++count) {
    std::vector<std::int64_t> whole;
    std::vector<std::uint8_t> bytes;
    std::vector<Float16> halves;
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      whole.push_back(i * i % 37);
      bytes.push_back(static_cast<std::uint8_t>(whole.back()));
      halves.push_back(nearest<Float16>(static_cast<double>(whole.back())));
      sum += static_cast<double>(whole.back());
    }
    for (const ValueStat& stat : {stat_of(whole), stat_of(bytes), stat_of(halves)}) {
      EXPECT_EQ(stat.count, count);
      EXPECT_EQ(stat.min, 0);
      EXPECT_DOUBLE_EQ(stat.mean, sum / static_cast<double>(count));
    }
  }
}

TEST(ValueBlock, NonFiniteValuesAreExcluded) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::int64_t left = 0;
  const ValueStat stat = stat_of<float>({kNan, 1, kInfinity, 3, -kInfinity}, &left);
  EXPECT_EQ(stat.count, 5);
  EXPECT_EQ(stat.non_finite, 3);
  EXPECT_EQ(stat.min, 1);
  EXPECT_EQ(stat.max, 3);
  EXPECT_EQ(stat.mean, 2);
  EXPECT_EQ(left, 2);
  const ValueStat none = stat_of<double>({kNan, kNan}, &left);
  EXPECT_EQ(none.finite_count(), 0);
  EXPECT_EQ(left, 0);
}

TEST(ValueBlock, AnOffsetLosesNoPrecision) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal(1e6, 1);
  std::vector<double> values(2000);
  double mean = 0;
  for (double& each : values) mean += (each = normal(random)) / 2000;
  double squares = 0;
  for (const double each : values) squares += (each - mean) * (each - mean);
  EXPECT_NEAR(stat_of(values).squares / squares, 1, 1e-9);
}

TEST(ValueBlock, EqualValuesHaveNoDeviation) {
  const ValueStat stat = stat_of(std::vector<float>(1000, 0.1F));
  EXPECT_EQ(stat.squares, 0);
  EXPECT_EQ(stat.min, stat.max);
}

}  // namespace
}  // namespace sheaf::internal
