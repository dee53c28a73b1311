#include "ops/report/slices.h"

#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

Slice slice_of(std::int64_t first, std::int64_t sequences) {
  Slice slice{.first = first, .sequences = sequences, .samples = 2 * sequences};
  slice.lengths.push_back(2, sequences);
  slice.streams.resize(1);
  slice.streams[0].values = {.count = sequences, .min = 1, .max = 1, .mean = 1};
  slice.streams[0].bins.push_back(3, sequences);
  return slice;
}

TEST(Slices, LengthBucketsGrow) {
  EXPECT_EQ(bin_of_length(0), 0U);
  EXPECT_EQ(bin_of_length(15), 15U);
  EXPECT_EQ(bin_of_length(16), 16U);
  EXPECT_EQ(bin_of_length(17), 16U);
  EXPECT_EQ(bin_of_length(18), 17U);
  EXPECT_EQ(bin_of_length(31), 23U);
  EXPECT_EQ(bin_of_length(32), 24U);
  EXPECT_LT(bin_of_length(std::numeric_limits<std::int64_t>::max()), 512U);
  for (std::int64_t length = 1; length < 100'000; ++length) {
    ASSERT_GE(bin_of_length(length), bin_of_length(length - 1));
  }
}

TEST(Slices, FewSlicesAreUnchanged) {
  Slices slices;
  for (std::int64_t i = 0; i < 64; ++i) slices.add(slice_of(10 * i, 10));
  slices.add(slice_of(640, 0));
  const std::vector<Slice> all = slices.take();
  ASSERT_EQ(all.size(), 64U);
  EXPECT_EQ(all[63].first, 630);
}

TEST(Slices, ManySlicesAreMergedWithTheSameSums) {
  Slices slices;
  for (std::int64_t i = 0; i < 1000; ++i) slices.add(slice_of(10 * i, 10));
  std::int64_t sequences = 0;
  const std::vector<Slice> all = slices.take();
  EXPECT_EQ(all.size(), 64U);
  for (const Slice& each : all) {
    EXPECT_EQ(each.first, sequences);
    EXPECT_EQ(each.samples, 2 * each.sequences);
    EXPECT_EQ(each.lengths.total(), each.sequences);
    EXPECT_EQ(each.streams[0].values.count, each.sequences);
    EXPECT_EQ(each.streams[0].bins.total(), each.sequences);
    sequences += each.sequences;
  }
  EXPECT_EQ(sequences, 10'000);
}

TEST(Slices, TheSmallestNeighboursAreMerged) {
  std::vector<Slice> slices = {slice_of(0, 50), slice_of(50, 1), slice_of(51, 2), slice_of(53, 60)};
  slices = merged_slices(slices, 3);
  ASSERT_EQ(slices.size(), 3U);
  EXPECT_EQ(slices[1].first, 50);
  EXPECT_EQ(slices[1].sequences, 3);
  EXPECT_EQ(merged_slices(slices, 0).size(), 1U);
}

}  // namespace
}  // namespace sheaf::internal
