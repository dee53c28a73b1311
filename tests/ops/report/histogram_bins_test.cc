#include "ops/report/histogram_bins.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "ops/report/stream_sums.h"

namespace sheaf::internal {
namespace {

ValueChart chart_of(const std::vector<float>& values) {
  StreamSums sums(Stream{.name = "x"});
  sums.add(reinterpret_cast<const std::byte*>(values.data()), std::ssize(values));
  const ValuePart part = sums.take_part();
  return chart_of_values(ElementType::f32, part.stat, sums.bins());
}

std::int64_t total(const ValueChart& chart) {
  std::int64_t sum = 0;
  for (const ValueBar& each : chart.bars) sum += each.count;
  return sum;
}

TEST(HistogramBins, EvenBarsSpanTheRange) {
  std::vector<float> values;
  for (int i = 0; i <= 960; ++i) values.push_back(static_cast<float>(i) / 10 - 48);
  const ValueChart chart = chart_of(values);
  EXPECT_TRUE(chart.is_even);
  ASSERT_EQ(chart.bars.size(), kBarsMax);
  EXPECT_EQ(chart.bars.front().from, -48);
  EXPECT_EQ(chart.bars.back().to, 48);
  EXPECT_EQ(total(chart), 961);
  for (const ValueBar& each : chart.bars) EXPECT_NEAR(static_cast<double>(each.count), 20, 8);
}

TEST(HistogramBins, EqualValuesFormOneBar) {
  const ValueChart chart = chart_of({2.5F, 2.5F});
  ASSERT_EQ(chart.bars.size(), 1U);
  EXPECT_EQ(chart.bars[0].from, 2.5);
  EXPECT_EQ(chart.bars[0].to, 2.5);
  EXPECT_EQ(chart.bars[0].count, 2);
}

TEST(HistogramBins, DistantValuesGetUnevenBars) {
  std::vector<float> values;
  for (int i = 0; i < 1000; ++i) values.push_back(std::exp(static_cast<float>(i) / 50));
  const ValueChart chart = chart_of(values);
  EXPECT_FALSE(chart.is_even);
  EXPECT_LE(chart.bars.size(), kBarsMax);
  EXPECT_EQ(total(chart), 1000);
  EXPECT_EQ(chart.bars.front().from, 1);
  for (std::size_t i = 1; i < chart.bars.size(); ++i) {
    EXPECT_GE(chart.bars[i].from, chart.bars[i - 1].to);
    EXPECT_GT(chart.bars[i].count, 0);
  }
}

TEST(HistogramBins, NonFiniteValuesHaveNoBar) {
  EXPECT_TRUE(chart_of({std::numeric_limits<float>::quiet_NaN()}).bars.empty());
}

TEST(HistogramBins, FewLengthsHaveOneBarEach) {
  Histogram lengths;
  lengths.add(3, 2);
  lengths.add(50, 1);
  const std::vector<LengthBar> bars = chart_of_lengths(lengths);
  ASSERT_EQ(bars.size(), 48U);
  EXPECT_EQ(bars[0].from, 3);
  EXPECT_EQ(bars[0].to, 3);
  EXPECT_EQ(bars[0].count, 2);
  EXPECT_EQ(bars[47].from, 50);
  EXPECT_TRUE(chart_of_lengths({}).empty());
}

TEST(HistogramBins, BarsOfLengthsCoverEveryLength) {
  for (const std::int64_t min : {0, 1, 40}) {
    for (const std::int64_t max : {min + 48, std::int64_t{1000}, std::int64_t{1} << 40}) {
      Histogram lengths;
      for (std::int64_t length = min; length < max; length += 1 + length / 3) lengths.add(length);
      lengths.add(max);
      const std::vector<LengthBar> bars = chart_of_lengths(lengths);
      EXPECT_LE(bars.size(), kBarsMax);
      EXPECT_EQ(bars.front().from, min);
      EXPECT_EQ(bars.back().to, max);
      std::int64_t sum = 0;
      std::int64_t from = min;
      for (const LengthBar& each : bars) {
        EXPECT_EQ(each.from, from);
        EXPECT_LE(each.from, each.to);
        from = each.to + 1;
        sum += each.count;
      }
      EXPECT_EQ(sum, lengths.count());
    }
  }
}

}  // namespace
}  // namespace sheaf::internal
