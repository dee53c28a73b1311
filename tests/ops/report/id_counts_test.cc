#include "ops/report/id_counts.h"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

template <typename Counts>
void count_ids(Counts& counts, const std::vector<std::int64_t>& ids) {
  counts.add(std::span(ids));
}

TEST(IdCounts, SmallIdsAreCountedOneByOne) {
  IdCounts ids;
  count_ids(ids, {3, 0, 3, IdCounts::kOwn - 1});
  EXPECT_EQ(ids.total(), 4);
  EXPECT_EQ(ids.own()[3], 2);
  EXPECT_EQ(ids.own().back(), 1);
  EXPECT_EQ(ids.seen(), 3);
  EXPECT_EQ(ids.shared_total(), 0);
}

TEST(IdCounts, LargeAndNegativeIdsShareCounters) {
  IdCounts ids;
  count_ids(ids, {IdCounts::kOwn, -1, -1, std::numeric_limits<std::int64_t>::max()});
  EXPECT_TRUE(ids.own().empty());
  EXPECT_EQ(ids.shared_total(), 4);
  EXPECT_EQ(ids.seen(), 3);
  EXPECT_EQ(ids.bins().total(), 4);
}

TEST(IdCounts, TheEstimateOfManyIdsIsClose) {
  IdCounts ids;
  for (std::int64_t i = 0; i < 50'000; ++i) count_ids(ids, {IdCounts::kOwn + 977 * i});
  EXPECT_NEAR(static_cast<double>(ids.seen()), 50'000, 500);
}

TEST(IdCounts, TheOrderOfAdditionsDoesNotMatter) {
  IdCounts a;
  IdCounts b;
  IdCounts all;
  for (std::int64_t i = 0; i < 3000; ++i) {
    const std::int64_t id = i * i % 100'003;
    count_ids(i % 3 == 0 ? a : b, {id});
    count_ids(all, {id});
  }
  b.add(a);
  EXPECT_EQ(b.bins(), all.bins());
  EXPECT_EQ(b.seen(), all.seen());
}

TEST(IdCounts, SlicesCountIdsInFewCounters) {
  IdBins bins;
  count_ids(bins, {5, 5, IdBins::kOwn - 1, 1'000'000});
  const BinCounts counts = bins.take();
  ASSERT_EQ(counts.entries().size(), 3U);
  EXPECT_EQ(counts.entries()[0], (BinCounts::Entry{5, 2}));
  EXPECT_EQ(counts.entries()[1], (BinCounts::Entry{IdBins::kOwn - 1, 1}));
  EXPECT_GE(counts.entries()[2].bin, IdBins::kOwn);
  EXPECT_LT(counts.entries()[2].bin, IdBins::kBins);
  EXPECT_EQ(bins.take().total(), 0);
}

}  // namespace
}  // namespace sheaf::internal
