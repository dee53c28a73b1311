// Tests the cursor of a mixture. mixed_sequencer_test.cc has the laws of its steps.

#include "sequencer/mixture/mixed_walk.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "sequencer/made_up_counts.h"
#include "support/order_steps.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::MadeUpCounts;

std::shared_ptr<MadeUpCounts> counts_of(std::vector<std::int64_t> weights,
                                        std::vector<MixtureStage> schedule) {
  auto counts = std::make_shared<MadeUpCounts>(sheaf::testing::Sizes{});
  counts->add_chunk(100, 1);
  counts->add_chunk(100, 1);
  counts->set_mixture({.options = {.weights = std::move(weights),
                                   .exhausted = Exhausted::repeat,
                                   .schedule = std::move(schedule)},
                       .names = {"a", "b"}},
                      {1, 2});
  return counts;
}

// A member that no draw takes from is not held.
TEST(MixedWalk, TheWindowHoldsTheMembersOfTheStage) {
  const auto counts = counts_of({1, 1}, {{.from = 10, .weights = {0, 1}}, {20, {1, 1}}});
  const OrderOptions options{.minibatch_size = 10, .unit = MinibatchUnit::sequences};
  const auto sequencer = make_sequencer(counts, options);
  const std::vector<ChunkRange> both = {{ChunkIndex{0}}, {ChunkIndex{1}}};
  const std::vector<ChunkRange> second = {{ChunkIndex{1}}};
  EXPECT_EQ(sheaf::testing::window_of(*sequencer, {}), both);
  EXPECT_EQ(sheaf::testing::window_of(*sequencer, {.sequence = 10, .sample = 10}), second);
  EXPECT_EQ(sheaf::testing::window_of(*sequencer, {.sequence = 20, .sample = 20}), both);
}

// A call that failed may be repeated.
TEST(MixedWalk, AnExceptionLeavesTheNextStepUnchanged) {
  const auto counts = counts_of({1, 2}, {});
  const OrderOptions options{.minibatch_size = 7, .unit = MinibatchUnit::sequences};
  const auto sequencer = make_sequencer(counts, options);
  sheaf::testing::Stepper stepper(*sequencer);
  const Step first = *stepper.step({});
  const StepRoom little(1);
  const auto other = make_sequencer(
      counts, {.minibatch_size = 70'000, .unit = MinibatchUnit::sequences, .sweeps = std::nullopt});
  sheaf::testing::Stepper large(*other);
  EXPECT_THROW(static_cast<void>(large.step({}, little)), ConfigError);
  EXPECT_EQ(large.step({})->sequences.size(), 70'000U);
  const Step second = *stepper.step(first.next);
  EXPECT_EQ(stepper.step(first.next)->sequences, second.sequences);
}

}  // namespace
}  // namespace sheaf::internal
