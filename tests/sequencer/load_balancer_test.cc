#include "sequencer/load_balancer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sequencer/made_up_options.h"

namespace sheaf::internal {
namespace {

using testing::any_of;

constexpr std::int64_t kExact = std::numeric_limits<std::int64_t>::max();

struct Shared {
  std::vector<std::int64_t> owners;
  std::vector<std::int64_t> loads;
  std::vector<std::int64_t> counts;
  std::int64_t moved = 0;
};

Shared share_out(const std::vector<std::int64_t>& costs, std::vector<std::int64_t> owners,
                 std::int64_t worker_count, std::int64_t tolerance) {
  Shared shared;
  const std::vector<std::int64_t> before = owners;
  LoadBalancer balancer;
  balancer.share_out(costs, worker_count, tolerance, owners);
  shared.loads.resize(static_cast<std::size_t>(worker_count));
  shared.counts.resize(static_cast<std::size_t>(worker_count));
  for (std::size_t i = 0; i < owners.size(); ++i) {
    shared.loads[static_cast<std::size_t>(owners[i])] += costs[i];
    ++shared.counts[static_cast<std::size_t>(owners[i])];
    shared.moved += owners[i] == before[i] ? 0 : 1;
  }
  shared.owners = std::move(owners);
  return shared;
}

RC_GTEST_PROP(LoadBalancerLaws, EqualCostsAreSharedEvenly, ()) {
  const auto worker_count = *any_of<std::int64_t>(1, 9);
  const auto owners =
      *rc::gen::container<std::vector<std::int64_t>>(any_of<std::int64_t>(0, worker_count));
  const std::vector<std::int64_t> costs(owners.size(), 1);
  const Shared shared = share_out(costs, owners, worker_count, kExact);
  const auto [least, most] = std::ranges::minmax(shared.counts);
  const auto count = std::ssize(owners);
  RC_ASSERT(most <= (count + worker_count - 1) / worker_count);
  if (count >= worker_count) RC_ASSERT(least > 0);
  // Owners lost only the sequences that they had too many.
  std::vector<std::int64_t> before(shared.counts.size());
  for (const std::int64_t owner : owners) ++before[static_cast<std::size_t>(owner)];
  std::int64_t changed = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    changed += std::max<std::int64_t>(0, before[i] - shared.counts[i]);
  }
  RC_ASSERT(shared.moved == changed);
}

RC_GTEST_PROP(LoadBalancerLaws, MaximumLoadNeverRises, ()) {
  const auto worker_count = *any_of<std::int64_t>(1, 9);
  const auto count = *any_of<std::size_t>(0, 100);
  const auto costs = *rc::gen::container<std::vector<std::int64_t>>(
      count, rc::gen::oneOf(any_of<std::int64_t>(0, 5), any_of<std::int64_t>(0, 1000)));
  const auto owners =
      *rc::gen::container<std::vector<std::int64_t>>(count, any_of<std::int64_t>(0, worker_count));
  std::vector<std::int64_t> before(static_cast<std::size_t>(worker_count));
  for (std::size_t i = 0; i < count; ++i) before[static_cast<std::size_t>(owners[i])] += costs[i];
  const Shared shared = share_out(costs, owners, worker_count, 64);
  RC_ASSERT(std::ranges::max(shared.loads) <=
            std::max(std::ranges::max(before), count > 0 ? std::ranges::max(costs) : 0));
  if (std::ssize(costs) >= worker_count) RC_ASSERT(std::ranges::min(shared.counts) > 0);
  RC_ASSERT(share_out(costs, owners, worker_count, 64).owners == shared.owners);
}

TEST(LoadBalancer, LeavesEvenLoadsUnchanged) {
  const std::vector<std::int64_t> owners = {0, 1, 2, 0, 1, 2};
  const Shared shared = share_out({7, 7, 7, 3, 3, 3}, owners, 3, 64);
  EXPECT_EQ(shared.owners, owners);
}

TEST(LoadBalancer, ALongSequenceStaysAndOthersMoveIfUseful) {
  // Worker 0 cannot have less than 100, so no other worker needs to have less.
  const Shared shared =
      share_out({100, 10, 10, 40, 40, 5}, std::vector<std::int64_t>{0, 0, 0, 1, 1, 2}, 3, 64);
  EXPECT_EQ(shared.loads[0], 100);
  EXPECT_EQ(shared.owners, (std::vector<std::int64_t>{0, 2, 2, 1, 1, 2}));
}

TEST(LoadBalancer, AnIdleWorkerGetsTheCheapestSequenceOfTheBusiest) {
  const Shared shared = share_out({100, 1, 2, 3}, std::vector<std::int64_t>{0, 1, 1, 1}, 3, 64);
  EXPECT_EQ(shared.owners, (std::vector<std::int64_t>{0, 2, 1, 1}));
}

TEST(LoadBalancer, BringsLoadsCloseToTheMean) {
  std::vector<std::int64_t> costs;
  std::vector<std::int64_t> owners;
  std::uint64_t random = 1;
  for (int i = 0; i < 640; ++i) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    costs.push_back(1 + static_cast<std::int64_t>(random >> 57U));
    owners.push_back(static_cast<std::int64_t>((random >> 33U) % 10));
  }
  const Shared shared = share_out(costs, owners, 10, 64);
  const std::int64_t sum = std::accumulate(costs.begin(), costs.end(), std::int64_t{0});
  EXPECT_LE(std::ranges::max(shared.loads), (sum + 9) / 10 + sum / 640);
  EXPECT_LT(shared.moved, 64);
}

}  // namespace
}  // namespace sheaf::internal
