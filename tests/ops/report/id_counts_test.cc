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

TEST(IdCounts, LargeAndNegativeIdsShareSlots) {
  IdCounts ids;
  count_ids(ids, {IdCounts::kOwn, -1, -1, std::numeric_limits<std::int64_t>::max()});
  EXPECT_TRUE(ids.own().empty());
  EXPECT_EQ(ids.shared_total(), 4);
  EXPECT_EQ(ids.seen(), 3);
  EXPECT_EQ(ids.slots().total(), 4);
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
  EXPECT_EQ(b.slots(), all.slots());
  EXPECT_EQ(b.seen(), all.seen());
}

TEST(IdCounts, SlicesCountIdsInFewSlots) {
  IdSlots slots;
  count_ids(slots, {5, 5, IdSlots::kOwn - 1, 1'000'000});
  const SlotCounts counts = slots.take();
  ASSERT_EQ(counts.entries().size(), 3U);
  EXPECT_EQ(counts.entries()[0], (SlotCounts::Entry{5, 2}));
  EXPECT_EQ(counts.entries()[1], (SlotCounts::Entry{IdSlots::kOwn - 1, 1}));
  EXPECT_GE(counts.entries()[2].slot, IdSlots::kOwn);
  EXPECT_LT(counts.entries()[2].slot, IdSlots::kSlots);
  EXPECT_EQ(slots.take().total(), 0);
}

}  // namespace
}  // namespace sheaf::internal
