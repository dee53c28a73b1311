#include "ops/report/bin_counts.h"

#include <cmath>
#include <initializer_list>
#include <numbers>
#include <utility>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

BinCounts counts_of(std::initializer_list<std::pair<std::uint32_t, std::int64_t>> bins) {
  BinCounts counts;
  for (const auto& [bin, count] : bins) counts.push_back(bin, count);
  return counts;
}

TEST(BinCounts, AddKeepsBinsInOrder) {
  BinCounts counts = counts_of({{1, 2}, {5, 1}});
  counts.add(counts_of({{0, 4}, {5, 3}, {9, 1}}));
  EXPECT_EQ(counts, counts_of({{0, 4}, {1, 2}, {5, 4}, {9, 1}}));
  EXPECT_EQ(counts.total(), 11);
  counts.add({});
  EXPECT_EQ(counts.total(), 11);
}

TEST(BinCounts, HitsAreCountedInTheirBins) {
  BinCounts counts;
  for (const std::uint32_t bin : {7U, 3U, 7U, 9U}) counts.hit(bin);
  EXPECT_EQ(counts, counts_of({{3, 1}, {7, 2}, {9, 1}}));
}

TEST(BinCounts, TheDistanceIsTheShareThatWouldMove) {
  const BinCounts a = counts_of({{0, 1}, {1, 3}});
  EXPECT_DOUBLE_EQ(distance(a, counts_of({{0, 2}, {1, 2}})), 0.25);
  EXPECT_DOUBLE_EQ(distance(a, counts_of({{0, 10}, {1, 30}})), 0);
  EXPECT_DOUBLE_EQ(distance(a, counts_of({{2, 5}})), 1);
  EXPECT_DOUBLE_EQ(distance(a, {}), 0);
}

TEST(BinCounts, ChanceFallsWithTheNumberOfSequences) {
  const BinCounts halves = counts_of({{0, 1}, {1, 1}});
  // Each share deviates by sqrt(2 / pi * 0.01 / 4). The distance is half of the sum over both
  // counts.
  EXPECT_DOUBLE_EQ(chance_distance(halves, 0.01), std::sqrt(2 / std::numbers::pi * 0.01 / 4));
  EXPECT_DOUBLE_EQ(chance_distance(halves, 0), 0);
  EXPECT_DOUBLE_EQ(chance_distance({}, 1), 0);
  EXPECT_DOUBLE_EQ(chance_distance(counts_of({{4, 9}}), 1), 0);
}

TEST(BinCounts, BeyondChanceReachesFromZeroToOne) {
  EXPECT_DOUBLE_EQ(beyond_chance(0.6, 0.2), 0.5);
  EXPECT_DOUBLE_EQ(beyond_chance(0.1, 0.2), 0);
  EXPECT_DOUBLE_EQ(beyond_chance(1, 0.3), 1);
  EXPECT_DOUBLE_EQ(beyond_chance(1, 1), 0);
}

}  // namespace
}  // namespace sheaf::internal
