// Workers, options and refusals of "keyed/1". make_sequencer_test.cc has the laws of all orders.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/sequencer.h"

#include "sequencer/keyed_laws.h"
#include "support/order_steps.h"

namespace sheaf {
namespace {

std::vector<SequenceRef> sorted(std::vector<SequenceRef> sequences) {
  std::ranges::sort(sequences, {}, [](const SequenceRef& ref) {
    return std::pair(static_cast<std::int64_t>(ref.chunk), ref.sequence);
  });
  return sequences;
}

// At any step, a different number of workers can continue the run.
RC_GTEST_PROP(KeyedLaws, AnyNumberOfWorkersContinuesTheSameMinibatches, ()) {
  const testing::Sizes sizes = testing::made_up_keyed_sizes();
  const OrderOptions options = testing::made_up_keyed();
  const std::vector<testing::WalkedStep> steps =
      testing::walk(*testing::keyed_sequencer(sizes, options), {}, testing::kKeyedStepsMax);
  constexpr std::size_t kLookedAt = 20;
  const std::size_t every = steps.size() / kLookedAt + 1;
  for (std::size_t i = *testing::any_of<std::size_t>(0, every); i < steps.size(); i += every) {
    const Step& whole = steps[i];
    const Place place = i == 0 ? Place{} : steps[i - 1].next;
    const auto worker_count = *testing::any_of<std::int64_t>(1, 6);
    std::vector<SequenceRef> together;
    std::int64_t samples = 0;
    for (std::int64_t worker = 0; worker < worker_count; ++worker) {
      const auto sequencer = testing::keyed_sequencer(sizes, options, worker, worker_count);
      const std::optional<Step> part = testing::step_of(*sequencer, place);
      RC_ASSERT(part.has_value());
      RC_ASSERT(part->next == whole.next);
      RC_ASSERT(part->ends_sweep == whole.ends_sweep);
      RC_ASSERT(part->ends_epoch == whole.ends_epoch);
      if (std::ssize(whole.sequences) >= worker_count) RC_ASSERT(!part->sequences.empty());
      together.insert(together.end(), part->sequences.begin(), part->sequences.end());
      samples += part->sample_count;
    }
    RC_ASSERT(sorted(together) == sorted(whole.sequences));
    RC_ASSERT(samples == whole.sample_count);
  }
}

TEST(KeyedSequencer, EmptyDataGiveNoSteps) {
  const OrderOptions options{.algorithm = OrderAlgorithm::keyed, .window_chunks = 1};
  EXPECT_TRUE(testing::walk(*testing::keyed_sequencer({}, options)).empty());
}

TEST(KeyedSequencer, APositionAppliesToAllWorkers) {
  const OrderOptions options{
      .minibatch_size = 99, .algorithm = OrderAlgorithm::keyed, .seed = 7, .window_samples = 30};
  const auto one = testing::keyed_sequencer({{1}}, options, 2, 3);
  EXPECT_EQ(one->algorithm(), "keyed/1");
  EXPECT_EQ(one->options(), (std::map<std::string, std::string>{
                                {"seed", "7"}, {"sweeps", "1"}, {"window_samples", "30"}}));
  OrderOptions bucketed = options;
  bucketed.batching = Batching::bucketed;
  EXPECT_EQ(testing::keyed_sequencer({{1}}, bucketed)->options(),
            (std::map<std::string, std::string>{{"seed", "7"},
                                                {"sweeps", "1"},
                                                {"window_samples", "30"},
                                                {"batching", "bucketed"},
                                                {"minibatch_size", "99"},
                                                {"unit", "samples"}}));
  OrderOptions truncated = options;
  truncated.truncation_length = 5;
  EXPECT_EQ(testing::keyed_sequencer({{1}}, truncated, 2, 3)->options().at("worker"), "2/3");
}

TEST(KeyedSequencer, RefusesInvalidOptionsAndPlaces) {
  const auto error_of = [](const OrderOptions& options, const Place& place = {}) -> std::string {
    try {
      static_cast<void>(testing::step_of(*testing::keyed_sequencer({{3, 4}, {5}}, options), place));
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "none";
  };
  OrderOptions options{.algorithm = OrderAlgorithm::keyed};
  EXPECT_EQ(error_of(options),
            "no window is set: the order \"keyed\" takes one of window_chunks and window_samples");
  options.window_chunks = 0;
  EXPECT_EQ(error_of(options), "window_chunks must be at least 1: got 0");
  options.window_chunks = 3;
  EXPECT_EQ(error_of(options), "none");
  EXPECT_EQ(error_of(options, {.sequence = 4}),
            "position: sequence 4 lies beyond the data, which have 3");
  EXPECT_EQ(error_of(options, {.sequence = 1, .sample = 13}),
            "position: sample 13 lies beyond the data, which have 12");
  EXPECT_EQ(error_of(options, {.sample = 2}),
            "position: sample 2 does not belong to sequence 0, which has 0 samples of its sweep "
            "before it");
  EXPECT_EQ(error_of(options, {.carry = {1}}),
            "position: the order \"keyed\" takes no carry: got 1 numbers");
  options.batching = Batching::bucketed;
  options.truncation_length = 4;
  EXPECT_EQ(error_of(options),
            "truncation_length and batching exclude each other: slots go on with sequences of any "
            "length; leave one of them out");
  options = {.batching = Batching::bucketed};
  EXPECT_EQ(error_of(options),
            "batching: only the order \"keyed\" puts sequences of like length together");
  options = {.balance = Balance::count};
  EXPECT_EQ(error_of(options), "balance: only the order \"keyed\" balances workers");
}

}  // namespace
}  // namespace sheaf
