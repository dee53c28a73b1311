#include "ops/data_stat.h"

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

TEST(DataStat, PartsCombineToTheWhole) {
  DataStat all;
  all.counts.stream_stats.resize(1);
  for (const std::int64_t length : {3, 5}) {
    DataStat part;
    part.counts.stream_stats.resize(1);
    part.counts.lengths.add(length);
    part.counts.holes = 1;
    part.counts.stream_stats[0].samples = length;
    part.counts.stream_stats[0].values = ValueStat{.count = 1,
                                                   .min = static_cast<double>(length),
                                                   .max = static_cast<double>(length),
                                                   .mean = static_cast<double>(length)};
    all.add(part);
  }
  EXPECT_EQ(all.counts.lengths.total(), 8);
  EXPECT_EQ(all.counts.holes, 2);
  const StreamStat& stream = all.counts.stream_stats[0];
  EXPECT_EQ(stream.samples, 8);
  ASSERT_TRUE(stream.values);
  EXPECT_EQ(stream.values->mean, 4);
  EXPECT_EQ(stream.values->deviation(), 1);
  EXPECT_EQ(stream.values->min, 3);
  EXPECT_EQ(stream.values->max, 5);
}

TEST(DataStat, DuplicatesAreCountedExceptTheFirst) {
  DataStat all;
  for (const std::uint64_t hash : {7U, 9U, 7U, 7U, 8U}) all.contents.emplace_back(hash, 0);
  EXPECT_EQ(all.duplicates(), 2);
}

}  // namespace
}  // namespace sheaf::internal
