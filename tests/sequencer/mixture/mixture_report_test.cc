#include "sequencer/mixture/mixture_report.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "sequencer/made_up_counts.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::MadeUpCounts;

// Member a has 60 sequences of 1 sample, member b has 20 of 5.
std::shared_ptr<MadeUpCounts> reported_counts(Exhausted exhausted,
                                              std::vector<MixtureStage> schedule) {
  auto counts = std::make_shared<MadeUpCounts>(sheaf::testing::Sizes{});
  counts->add_chunk(40, 2);
  counts->add_chunk(20, 1);
  counts->add_chunk(std::vector<std::int64_t>(20, 5), 1);
  counts->set_mixture(
      {.options = {.weights = {1, 1}, .exhausted = exhausted, .schedule = std::move(schedule)},
       .names = {"a", "b"}},
      {2, 3});
  return counts;
}

const OrderOptions kOrder{.minibatch_size = 8, .unit = MinibatchUnit::sequences};

TEST(MixtureReport, HasRequestedAndDeliveredShares) {
  const MixtureReport report =
      *measure_mixture(reported_counts(Exhausted::repeat, {}), kOrder, 1'000'000);
  EXPECT_EQ(report.exhausted, Exhausted::repeat);
  EXPECT_TRUE(report.is_whole);
  EXPECT_EQ(report.draws, 119);  // the 60th sequence of a is draw 119
  EXPECT_EQ(report.members[0].sequences, 60);
  EXPECT_EQ(report.members[1].samples, 59 * 5);
  EXPECT_DOUBLE_EQ(report.members[0].asked, 0.5);
  EXPECT_DOUBLE_EQ(report.members[0].times, 1);
  EXPECT_DOUBLE_EQ(report.members[1].times, 59.0 / 20);
  EXPECT_LE(report.largest_deviation, 0.5);
}

TEST(MixtureReport, ADroppedMemberMissesItsShare) {
  const MixtureReport report =
      *measure_mixture(reported_counts(Exhausted::drop, {}), kOrder, 1'000'000);
  EXPECT_EQ(report.draws, 80);
  EXPECT_DOUBLE_EQ(report.members[0].asked, 0.5);
  EXPECT_EQ(report.members[0].sequences, 60);
  EXPECT_DOUBLE_EQ(report.largest_deviation, 20);
}

TEST(MixtureReport, AScheduleChangesTheRequestedShares) {
  const MixtureReport report = *measure_mixture(
      reported_counts(Exhausted::stop, {{.from = 10, .weights = {3, 1}}}), kOrder, 1'000'000);
  EXPECT_EQ(report.draws, report.members[0].sequences + report.members[1].sequences);
  const double asked = (10 * 0.5 + (static_cast<double>(report.draws) - 10) * 0.75) /
                       static_cast<double>(report.draws);
  EXPECT_DOUBLE_EQ(report.members[0].asked, asked);
  EXPECT_LT(report.largest_deviation, 2);
}

TEST(MixtureReport, FewDrawsAreNotAWholeEpoch) {
  const MixtureReport report = *measure_mixture(reported_counts(Exhausted::repeat, {}), kOrder, 20);
  EXPECT_FALSE(report.is_whole);
  EXPECT_EQ(report.draws, 24);
}

TEST(MixtureReport, BatchesOfARunAreCountedToTheirEnd) {
  OrderOptions order = kOrder;
  order.algorithm = OrderAlgorithm::keyed;
  order.window_chunks = 3;
  order.batching = Batching::bucketed;
  const MixtureReport report =
      *measure_mixture(reported_counts(Exhausted::repeat, {}), order, 1'000);
  EXPECT_EQ(report.draws, 119);
  EXPECT_EQ(report.members[0].sequences, 60);
}

TEST(MixtureReport, OtherDataHaveNoReport) {
  auto counts = std::make_shared<MadeUpCounts>(sheaf::testing::Sizes{{1}});
  EXPECT_FALSE(measure_mixture(counts, kOrder, 10).has_value());
}

}  // namespace
}  // namespace sheaf::internal
