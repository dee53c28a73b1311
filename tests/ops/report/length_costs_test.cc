#include "ops/report/length_costs.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "packer/best_fit.h"

namespace sheaf::internal {
namespace {

Histogram histogram_of(const std::vector<std::int64_t>& lengths) {
  Histogram histogram;
  for (const std::int64_t each : lengths) histogram.add(each);
  return histogram;
}

PaddingMeter meter_of(const std::vector<std::int64_t>& lengths) {
  PaddingMeter meter;
  for (const std::int64_t each : lengths) meter.add(each);
  return meter;
}

TEST(LengthCosts, PaddingIsMeasuredForFileOrderAndSortedOrder) {
  // Minibatches of 8, with 16 sequences of alternating lengths 1 and 9.
  std::vector<std::int64_t> lengths;
  for (int i = 0; i < 8; ++i) lengths.insert(lengths.end(), {1, 9});
  const auto sums = meter_of(lengths).sums();
  EXPECT_EQ(sums[0].file, 16 * 9);
  EXPECT_EQ(sums[0].buckets, 8 * 1 + 8 * 9);
  EXPECT_EQ(sums[1].file, 16 * 9);
  EXPECT_EQ(sums[1].buckets, 16 * 9);
}

TEST(LengthCosts, TheLastMinibatchIsSmaller) {
  const auto sums = meter_of({1, 1, 1, 1, 1, 1, 1, 1, 5, 7}).sums();
  EXPECT_EQ(sums[0].file, 8 * 1 + 2 * 7);
  EXPECT_EQ(sums[6].file, 10 * 7);
}

TEST(LengthCosts, EmptyDataHaveNoPadding) {
  EXPECT_EQ(meter_of({}).sums()[3].file, 0);
  EXPECT_EQ(meter_of({}).sums()[3].buckets, 0);
}

// Lengths that are far apart are sorted in another way than lengths that are close together.
TEST(LengthCosts, BlocksAndPoolsMatchASimulation) {
  for (const std::int64_t length_max : {50, 5'000'000}) {
    std::mt19937 random(7);
    std::uniform_int_distribution<std::int64_t> length(0, length_max);
    for (const std::size_t count : {51'199U, 51'200U, 51'201U, 120'000U}) {
      std::vector<std::int64_t> lengths(count);
      for (std::int64_t& each : lengths) each = length(random);
      const auto sums = meter_of(lengths).sums();
      for (std::size_t i = 0; i < kMinibatchSizes.size(); ++i) {
        const auto size = static_cast<std::size_t>(kMinibatchSizes[i]);
        std::vector<std::int64_t> sorted = lengths;
        for (std::size_t begin = 0; begin < count; begin += 100 * size) {
          std::sort(
              sorted.begin() + static_cast<std::ptrdiff_t>(begin),
              sorted.begin() + static_cast<std::ptrdiff_t>(std::min(count, begin + 100 * size)));
        }
        double file = 0;
        double buckets = 0;
        for (std::size_t begin = 0; begin < count; begin += size) {
          const std::size_t end = std::min(count, begin + size);
          const auto longest = [&](const std::vector<std::int64_t>& all) {
            return static_cast<double>(
                *std::max_element(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                  all.begin() + static_cast<std::ptrdiff_t>(end)));
          };
          file += static_cast<double>(end - begin) * longest(lengths);
          buckets += static_cast<double>(end - begin) * longest(sorted);
        }
        EXPECT_EQ(sums[i].file, file);
        EXPECT_EQ(sums[i].buckets, buckets);
      }
    }
  }
}

TEST(LengthCosts, RandomPaddingIsTheExpectedMaximum) {
  // Two sequences of lengths 1 and 3 always come together, so 6 samples are padded for 4.
  EXPECT_DOUBLE_EQ(random_padding(histogram_of({1, 3}), 2), 1 - 2.0 / 3);
  // The pairs of 1, 1, 3 are (1,1), (1,3), (1,3). The longest is 7/3 on average, the mean 5/3.
  EXPECT_DOUBLE_EQ(random_padding(histogram_of({1, 1, 3}), 2), 1 - 5.0 / 7);
  EXPECT_DOUBLE_EQ(random_padding(histogram_of({4, 4, 4, 4}), 8), 0);
  EXPECT_DOUBLE_EQ(random_padding(histogram_of({0, 0}), 8), 0);
}

TEST(LengthCosts, RowsMatchThePacker) {
  std::mt19937 random(3);
  for (const std::int64_t length_max : {1, 3, 30, 64}) {
    std::uniform_int_distribution<std::int64_t> length(0, length_max);
    for (int round = 0; round < 50; ++round) {
      std::vector<std::int64_t> lengths(static_cast<std::size_t>(round * 7));
      for (std::int64_t& each : lengths) each = length(random);
      const PackedRows packed = packed_rows(histogram_of(lengths), 64);
      EXPECT_EQ(packed.rows, best_fit(lengths, 64).slot_count);
      EXPECT_EQ(packed.too_long, 0);
    }
  }
}

TEST(LengthCosts, SequencesLongerThanARowAreLeftOut) {
  const PackedRows packed = packed_rows(histogram_of({5, 10, 11, 11}), 10);
  EXPECT_EQ(packed.rows, 2);
  EXPECT_EQ(packed.samples, 15);
  EXPECT_EQ(packed.too_long, 2);
}

}  // namespace
}  // namespace sheaf::internal
