#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/sequencer.h"

#include "base/text.h"
#include "sequencer/keyed_laws.h"
#include "support/order_steps.h"

namespace sheaf {
namespace {

// The minibatch size cuts the order, but does not change it.
RC_GTEST_PROP(KeyedWalk, TheMinibatchSizeDoesNotChangeTheOrder, ()) {
  const testing::Sizes sizes = testing::made_up_keyed_sizes();
  OrderOptions options = testing::made_up_keyed();
  options.batching = Batching::plain;
  const auto order = [&] {
    std::vector<SequenceRef> sequences;
    for (const testing::WalkedStep& step :
         testing::walk(*testing::keyed_sequencer(sizes, options), {}, testing::kKeyedStepsMax)) {
      sequences.insert(sequences.end(), step.sequences.begin(), step.sequences.end());
    }
    return sequences;
  };
  const std::vector<SequenceRef> before = order();
  options.sizes = sheaf::Sizes::even;
  options.minibatch_size = *testing::any_of<std::int64_t>(1, 500);
  options.unit = *rc::gen::element(MinibatchUnit::samples, MinibatchUnit::sequences);
  RC_ASSERT(order() == before);
}

// The sweep is cut into equal stretches. A minibatch has the sequences that begin in its stretch.
RC_GTEST_PROP(KeyedWalk, MinibatchesHaveAboutTheRequestedSize, ()) {
  const testing::Sizes sizes = testing::made_up_keyed_sizes();
  OrderOptions options = testing::made_up_keyed();
  options.batching = Batching::plain;
  options.epoch_size = {};
  std::int64_t longest = 0;
  for (const auto& chunk : sizes) longest = std::max(longest, std::ranges::max(chunk));
  const bool counts_samples = options.unit == MinibatchUnit::samples;
  for (const testing::WalkedStep& step :
       testing::walk(*testing::keyed_sequencer(sizes, options), {}, testing::kKeyedStepsMax)) {
    RC_ASSERT(!step.sequences.empty());
    if (!counts_samples) RC_ASSERT(std::ssize(step.sequences) <= options.minibatch_size);
    if (counts_samples) RC_ASSERT(step.sample_count < options.minibatch_size + longest);
  }
}

TEST(KeyedWalk, SweepsAreDividedEvenly) {
  testing::Sizes sizes(10, std::vector<std::int64_t>(1000, 7));
  const OrderOptions options{.minibatch_size = 999,
                             .unit = MinibatchUnit::sequences,
                             .sweeps = 2,
                             .algorithm = OrderAlgorithm::keyed,
                             .window_chunks = 10};
  const std::vector<testing::WalkedStep> steps =
      testing::walk(*testing::keyed_sequencer(sizes, options));
  ASSERT_EQ(std::ssize(steps), 2 * 11);
  for (const testing::WalkedStep& step : steps) {
    EXPECT_GE(std::ssize(step.sequences), 909);
    EXPECT_LE(std::ssize(step.sequences), 910);
  }
  EXPECT_TRUE(steps[10].ends_sweep);
  EXPECT_FALSE(steps[10].ends_epoch);
  EXPECT_TRUE(steps[21].ends_epoch);
}

TEST(KeyedWalk, ALongSequenceMakesNoEmptyMinibatches) {
  const testing::Sizes sizes = {{1, 1, 1000, 1, 1}};
  const OrderOptions options{
      .minibatch_size = 10, .algorithm = OrderAlgorithm::keyed, .window_chunks = 1};
  std::int64_t sequences = 0;
  for (const testing::WalkedStep& step : testing::walk(*testing::keyed_sequencer(sizes, options))) {
    EXPECT_FALSE(step.sequences.empty());
    sequences += std::ssize(step.sequences);
  }
  EXPECT_EQ(sequences, 5);
}

TEST(KeyedWalk, SequencesWithoutSamplesAreDelivered) {
  const testing::Sizes sizes = {{0, 3, 0, 4, 0}, {0, 0}};
  for (const std::optional<std::int64_t> epoch_size : {std::optional<std::int64_t>(), {4}}) {
    const OrderOptions options{.minibatch_size = 2,
                               .epoch_size = epoch_size,
                               .epochs = epoch_size ? 7 : 2,
                               .algorithm = OrderAlgorithm::keyed,
                               .window_chunks = 1};
    std::int64_t sequences = 0;
    for (const testing::WalkedStep& step :
         testing::walk(*testing::keyed_sequencer(sizes, options))) {
      sequences += std::ssize(step.sequences);
    }
    EXPECT_GE(sequences, 2 * 7 - 3) << epoch_size.value_or(0);
  }
  const OrderOptions options{.algorithm = OrderAlgorithm::keyed, .window_chunks = 1};
  EXPECT_EQ(std::ssize(testing::walk(*testing::keyed_sequencer({{0, 0, 0}}, options))), 1);
}

// Nobody counts the samples before the place where a sweep is entered, so only the end of the sweep
// shows a wrong sample.
TEST(KeyedWalk, AnInconsistentSampleIsRefusedByTheEndOfTheSweep) {
  OrderOptions options{.minibatch_size = 3, .algorithm = OrderAlgorithm::keyed};
  options.window_chunks = 2;
  int refused = 0;
  for (const std::optional<std::int64_t> epoch_size : {std::optional<std::int64_t>(), {30}}) {
    options.epoch_size = epoch_size;
    options.sweeps = 2;
    std::vector<Place> places;
    const auto error_from = [&](Place place) -> std::string {
      const auto sequencer = testing::keyed_sequencer({{3, 4, 1, 1}, {5, 2, 7}}, options);
      testing::Stepper stepper(*sequencer);
      places.clear();
      try {
        for (int i = 0; i < 20; ++i) {
          const std::optional<Step> step = stepper.step(place);
          if (!step) break;
          place = step->next;
          places.push_back(place);
        }
      } catch (const ConfigError& error) {
        return error.what();
      }
      return "none";
    };
    ASSERT_EQ(error_from({}), "none");
    for (Place place : std::vector<Place>(places)) {
      if (place.sweep > 0 || place.sequence == 0) continue;
      EXPECT_EQ(error_from(place), "none");
      const std::int64_t right = place.sample;
      for (place.sample = 0; place.sample <= 23; ++place.sample) {
        if (place.sample == right) continue;
        const std::string expected = formatted(
            "position: sample {} does not belong to sequence {}: ", place.sample, place.sequence);
        EXPECT_EQ(error_from(place).substr(0, expected.size()), expected) << right << " is right";
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace sheaf
