#include "sequencer/mixture/share_tree.h"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sequencer/made_up_options.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::any_of;

__extension__ using Wide = __int128;

std::vector<std::int64_t> made_up_weights() {
  const auto weight = rc::gen::oneOf(any_of<std::int64_t>(1, 4), any_of<std::int64_t>(1, 5000),
                                     any_of<std::int64_t>(1, std::int64_t{1} << 55));
  return *rc::gen::nonEmpty(
      rc::gen::resize(40, rc::gen::container<std::vector<std::int64_t>>(weight)));
}

std::int64_t sum(const std::vector<std::int64_t>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0});
}

// Computes |count - draws * weight / all| < 2 in integers.
bool is_near(std::int64_t count, std::int64_t draws, std::int64_t weight, std::int64_t all) {
  const Wide off = Wide{count} * all - Wide{draws} * weight;
  return off < 2 * Wide{all} && off > -2 * Wide{all};
}

RC_GTEST_PROP(ShareTree, EveryPrefixHasTheSharesOfTheWeights, ()) {
  const std::vector<std::int64_t> weights = made_up_weights();
  const ShareTree tree(weights);
  const std::int64_t all = sum(weights);
  std::vector<std::int64_t> counts(weights.size());
  for (std::int64_t draw = 0; draw < 400; ++draw) {
    const ShareTree::Draw found = tree.at(draw);
    RC_ASSERT(found.ordinal == counts[static_cast<std::size_t>(found.member)]++);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      RC_ASSERT(is_near(counts[i], draw + 1, weights[i], all));
    }
    RC_ASSERT(tree.counts(draw + 1) == counts);
  }
}

RC_GTEST_PROP(ShareTree, DistantDrawsHaveTheShares, ()) {
  const std::vector<std::int64_t> weights = made_up_weights();
  const ShareTree tree(weights);
  const std::int64_t all = sum(weights);
  const std::int64_t draw = *any_of<std::int64_t>(0, ShareTree::kNever - 100);
  std::vector<std::int64_t> counts = tree.counts(draw);
  RC_ASSERT(sum(counts) == draw);
  ShareTree::Walk walk(tree, draw);
  for (std::int64_t i = 0; i < 50; ++i) {
    const ShareTree::Draw found = tree.at(draw + i);
    RC_ASSERT(walk.next() == found.member);
    RC_ASSERT(found.ordinal == counts[static_cast<std::size_t>(found.member)]++);
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    RC_ASSERT(is_near(counts[i], draw + 50, weights[i], all));
  }
}

RC_GTEST_PROP(ShareTree, FindsTheDrawsOfAMember, ()) {
  const std::vector<std::int64_t> weights = made_up_weights();
  const ShareTree tree(weights);
  const auto member = *any_of<std::size_t>(0, weights.size());
  const std::int64_t count =
      *rc::gen::oneOf(any_of<std::int64_t>(0, 50), any_of<std::int64_t>(0, std::int64_t{1} << 40));
  const std::int64_t draws = tree.draws_until(static_cast<std::int64_t>(member), count);
  RC_PRE(draws < ShareTree::kNever);
  RC_ASSERT(tree.counts(draws)[member] == count);
  if (count > 0) RC_ASSERT(tree.counts(draws - 1)[member] == count - 1);
}

TEST(ShareTree, EqualWeightsTakeTurns) {
  const ShareTree tree(std::vector<std::int64_t>{1, 1, 1, 1});
  std::vector<std::int64_t> members;
  for (std::int64_t draw = 0; draw < 8; ++draw) members.push_back(tree.at(draw).member);
  EXPECT_EQ(members, (std::vector<std::int64_t>{0, 2, 1, 3, 0, 2, 1, 3}));
}

TEST(ShareTree, AMemberWithoutWeightHasNoDraws) {
  const ShareTree tree(std::vector<std::int64_t>{0, 3, 0});
  EXPECT_EQ(tree.member_count(), 3);
  for (std::int64_t draw = 0; draw < 5; ++draw) {
    EXPECT_EQ(tree.at(draw), (ShareTree::Draw{1, draw}));
  }
  EXPECT_EQ(tree.counts(7), (std::vector<std::int64_t>{0, 7, 0}));
  EXPECT_EQ(tree.draws_until(0, 0), 0);
  EXPECT_EQ(tree.draws_until(0, 1), ShareTree::kNever);
  EXPECT_EQ(tree.draws_until(1, ShareTree::kNever - 1), ShareTree::kNever - 1);
}

// The largest sum of weights, with the last draw.
TEST(ShareTree, TheLargestNumbersFit) {
  const std::int64_t half = std::int64_t{1} << 61;
  const ShareTree tree(std::vector<std::int64_t>{half, half - 1, 1});
  const std::int64_t last = ShareTree::kNever - 1;
  EXPECT_EQ(sum(tree.counts(last)), last);
  ShareTree::Walk walk(tree, last - 1);
  EXPECT_EQ(walk.next(), tree.at(last - 1).member);
  EXPECT_EQ(tree.draws_until(2, 2), ShareTree::kNever);
}

}  // namespace
}  // namespace sheaf::internal
