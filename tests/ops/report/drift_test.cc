#include "ops/report/drift.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "ops/report/value_bins.h"

namespace sheaf::internal {
namespace {

// Returns 1000 sequences of one sample. The values of the dense stream fall into one bin in each
// slice.
DataNumbers numbers_of(const std::vector<std::uint32_t>& bins_of_slices) {
  DataNumbers numbers;
  numbers.streams = {{.name = "x"}};
  numbers.labels = {false};
  numbers.stream_numbers.resize(1);
  StreamNumbers& stream = numbers.stream_numbers[0];
  stream.bins.resize(kValueBins);
  stream.part.has_ids = false;
  stream.part.values = {.count = 1000, .squares = 1};
  const auto each = std::int64_t{1000} / std::ssize(bins_of_slices);
  for (const std::uint32_t bin : bins_of_slices) {
    Slice slice{.sequences = each, .samples = each};
    slice.lengths.push_back(1, each);
    slice.streams.resize(1);
    slice.streams[0].bins.push_back(bin, each);
    numbers.slices.push_back(slice);
    stream.bins[bin * kBinsOfSlice] += each;
  }
  numbers.lengths.add(1, 1000);
  numbers.sequences = 1000;
  return numbers;
}

TEST(Drift, EqualSlicesHaveNoDrift) {
  const std::vector<Drift> drift = drift_of_slices(numbers_of({5, 5, 5, 5}));
  ASSERT_EQ(drift.size(), 2U);
  EXPECT_EQ(drift[0].what, "length");
  EXPECT_EQ(drift[0].size, 0);
  EXPECT_EQ(drift[1].what, "values of x");
  EXPECT_EQ(drift[1].size, 0);
}

TEST(Drift, SlicesWithoutACommonValueHaveHighDrift) {
  // Each of 10 slices differs from the whole by 0.9, far more than chance.
  const std::vector<Drift> drift = drift_of_slices(numbers_of({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_NEAR(drift[1].size, 0.9, 0.03);
  EXPECT_EQ(drift[0].size, 0);
}

TEST(Drift, OneSliceHasNoDrift) { EXPECT_TRUE(drift_of_slices(numbers_of({5})).empty()); }

TEST(Drift, MeasuresTwoDataSets) {
  const DataNumbers one = numbers_of({1, 2});
  const std::vector<Drift> same = drift_between(one, numbers_of({2, 1}));
  ASSERT_EQ(same.size(), 2U);
  EXPECT_EQ(same[1].size, 0);
  EXPECT_EQ(drift_between(one, numbers_of({8, 9}))[1].size, 1);
  const double half = drift_between(one, numbers_of({2, 3}))[1].size;
  EXPECT_NEAR(half, 0.5, 0.04);
  EXPECT_LT(half, 0.5);  // without the part due to chance
}

TEST(Drift, StreamsOfDifferentNamesAreNotCompared) {
  DataNumbers other = numbers_of({8, 9});
  other.streams[0].name = "y";
  EXPECT_EQ(drift_between(numbers_of({1, 2}), other).size(), 1U);
}

}  // namespace
}  // namespace sheaf::internal
