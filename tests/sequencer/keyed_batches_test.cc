#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/sequencer.h"

#include "sequencer/keyed_laws.h"
#include "support/order_steps.h"

namespace sheaf {
namespace {

constexpr std::size_t kRunSteps = 64;

// 1280 sequences of 1 to 97 samples: two runs of 64 minibatches of 10 sequences.
testing::Sizes sizes_of_two_runs() {
  testing::Sizes sizes(2, std::vector<std::int64_t>(640));
  std::int64_t number = 0;
  for (std::vector<std::int64_t>& chunk : sizes) {
    for (std::int64_t& length : chunk) length = number++ * 37 % 97 + 1;
  }
  return sizes;
}

OrderOptions options_of_runs(Batching batching) {
  return {.minibatch_size = 10,
          .unit = MinibatchUnit::sequences,
          .algorithm = OrderAlgorithm::keyed,
          .seed = 3,
          .window_chunks = 2,
          .batching = batching};
}

std::vector<testing::WalkedStep> steps_of_runs(Batching batching) {
  return testing::walk(*testing::keyed_sequencer(sizes_of_two_runs(), options_of_runs(batching)));
}

using Sequences = std::vector<std::pair<std::int64_t, std::int64_t>>;

// Returns the sequences of a run, sorted by chunk and number.
Sequences sequences_of_run(const std::vector<testing::WalkedStep>& steps, std::size_t run) {
  Sequences all;
  for (std::size_t i = run * kRunSteps; i < (run + 1) * kRunSteps; ++i) {
    for (const SequenceRef& ref : steps[i].sequences) {
      all.emplace_back(static_cast<std::int64_t>(ref.chunk), ref.sequence);
    }
  }
  std::ranges::sort(all);
  return all;
}

// Returns how many samples of padding the minibatches have.
std::int64_t padding_of_steps(const std::vector<testing::WalkedStep>& steps) {
  const testing::Sizes sizes = sizes_of_two_runs();
  std::int64_t padding = 0;
  for (const testing::WalkedStep& step : steps) {
    std::int64_t longest = 0;
    for (const SequenceRef& ref : step.sequences) {
      longest = std::max(
          longest,
          sizes[static_cast<std::size_t>(ref.chunk)][static_cast<std::size_t>(ref.sequence)]);
    }
    padding += longest * std::ssize(step.sequences) - step.sample_count;
  }
  return padding;
}

TEST(KeyedBatches, ARunHasTheSequencesOfSixtyFourMinibatches) {
  const std::vector<testing::WalkedStep> plain = steps_of_runs(Batching::plain);
  const std::vector<testing::WalkedStep> bucketed = steps_of_runs(Batching::bucketed);
  ASSERT_EQ(plain.size(), 2 * kRunSteps);
  ASSERT_EQ(bucketed.size(), 2 * kRunSteps);
  for (const std::size_t run : {0U, 1U}) {
    EXPECT_EQ(sequences_of_run(bucketed, run), sequences_of_run(plain, run)) << run;
  }
  EXPECT_NE(sequences_of_run(plain, 0), sequences_of_run(plain, 1));
}

TEST(KeyedBatches, HaveLittlePadding) {
  const std::int64_t plain = padding_of_steps(steps_of_runs(Batching::plain));
  EXPECT_LT(4 * padding_of_steps(steps_of_runs(Batching::bucketed)), plain);
}

TEST(KeyedBatches, APlaceWithinARunCarriesTheNumberOfTheBatch) {
  const std::vector<testing::WalkedStep> steps = steps_of_runs(Batching::bucketed);
  ASSERT_EQ(steps.size(), 2 * kRunSteps);
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    const std::size_t behind = (i + 1) % kRunSteps;  // the number of the next batch within its run
    const Place& next = steps[i].next;
    const auto number = static_cast<std::int64_t>(behind);
    EXPECT_EQ(next.carry, behind == 0 ? std::vector<std::int64_t>() : std::vector{number}) << i;
    EXPECT_EQ(next.sequence, i + 1 < kRunSteps ? 0 : 640) << i;
  }
}

TEST(KeyedBatches, ABatchBehindTheRunIsRefused) {
  const auto sequencer =
      testing::keyed_sequencer(sizes_of_two_runs(), options_of_runs(Batching::bucketed));
  EXPECT_TRUE(testing::step_of(*sequencer, {.carry = {63}}));
  try {
    static_cast<void>(testing::step_of(*sequencer, {.carry = {64}}));
    FAIL() << "the run has 64 batches";
  } catch (const ConfigError& error) {
    EXPECT_EQ(std::string(error.what()),
              "position: carry 64: the run that begins here has 64 batches");
  }
}

}  // namespace
}  // namespace sheaf
