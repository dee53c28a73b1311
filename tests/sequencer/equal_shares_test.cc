#include "sequencer/equal_shares.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sequencer/made_up_options.h"

namespace sheaf::internal {
namespace {

using testing::any_of;

std::vector<std::int64_t> counts_by_worker(const std::vector<std::int64_t>& owners,
                                           std::int64_t worker_count) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(worker_count));
  for (const std::int64_t owner : owners) ++counts[static_cast<std::size_t>(owner)];
  return counts;
}

RC_GTEST_PROP(EqualSharesLaws, CountsDifferByAtMostOneAfterTheFewestMoves, ()) {
  const auto worker_count = *any_of<std::int64_t>(1, 12);
  const auto turn = *any_of<std::int64_t>(0, 1000);
  const auto before =
      *rc::gen::container<std::vector<std::int64_t>>(any_of<std::int64_t>(0, worker_count));
  std::vector<std::int64_t> after = before;
  share_equally(worker_count, turn, after);

  const std::vector<std::int64_t> had = counts_by_worker(before, worker_count);
  const std::vector<std::int64_t> has = counts_by_worker(after, worker_count);
  RC_ASSERT(std::ranges::max(has) - std::ranges::min(has) <= 1);

  std::int64_t moved = 0;
  for (std::size_t i = 0; i < before.size(); ++i) moved += before[i] == after[i] ? 0 : 1;
  // Every sequence beyond an equal part moves. As many workers as there are leftover sequences keep
  // one more, if they have one.
  const std::int64_t part = std::ssize(before) / worker_count;
  std::int64_t above = 0;
  std::int64_t workers_above = 0;
  for (const std::int64_t count : had) {
    above += std::max<std::int64_t>(0, count - part);
    workers_above += count > part ? 1 : 0;
  }
  RC_ASSERT(moved == above - std::min(workers_above, std::ssize(before) % worker_count));
}

TEST(EqualShares, EqualSharesAreUnchanged) {
  const std::vector<std::int64_t> before = {2, 0, 1, 1, 2, 0, 1};
  std::vector<std::int64_t> owners = before;
  share_equally(3, 0, owners);
  EXPECT_EQ(owners, before);
}

TEST(EqualShares, TheTurnDecidesWhoGetsOneMore) {
  std::set<std::vector<std::int64_t>> found;
  for (std::int64_t turn = 0; turn < 8; ++turn) {
    std::vector<std::int64_t> owners = {0, 0, 1, 1, 2, 2, 3, 3, 0, 1, 2, 3};
    owners.resize(9);
    owners[8] = turn % 4;
    share_equally(4, turn, owners);
    EXPECT_EQ(counts_by_worker(owners, 4)[static_cast<std::size_t>(turn % 4)], 3) << turn;
    std::vector<std::int64_t> all_of_one(9, 3);  // worker 3 keeps the extra sequence for any turn
    share_equally(4, turn, all_of_one);
    EXPECT_EQ(counts_by_worker(all_of_one, 4), (std::vector<std::int64_t>{2, 2, 2, 3})) << turn;
    std::vector<std::int64_t> of_one = {0, 0, 0, 0, 0, 0};
    share_equally(4, turn, of_one);
    found.insert(counts_by_worker(of_one, 4));
  }
  // Worker 0 keeps one of the two extra sequences. The other one goes around.
  EXPECT_EQ(found, (std::set<std::vector<std::int64_t>>{{2, 2, 1, 1}, {2, 1, 2, 1}, {2, 1, 1, 2}}));
}

TEST(EqualShares, FewerSequencesThanWorkersGoToOneWorkerEach) {
  std::vector<std::int64_t> owners = {1, 1, 1};
  share_equally(1'000'000, 999'999, owners);
  EXPECT_EQ(std::set<std::int64_t>(owners.begin(), owners.end()),
            (std::set<std::int64_t>{0, 1, 999'999}));
  std::vector<std::int64_t> none;
  share_equally(3, 1, none);
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace sheaf::internal
