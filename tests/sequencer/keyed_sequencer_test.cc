// The laws of "keyed/1". make_sequencer_test.cc has the laws of all orders.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/sequencer.h"

#include "base/text.h"
#include "sequencer/made_up_counts.h"
#include "sequencer/made_up_options.h"
#include "sequencer/window_law.h"

namespace sheaf {
namespace {

using testing::any_of;
using testing::MadeUpCounts;
using testing::Sizes;
using testing::walk;

constexpr std::int64_t kStepsMax = 100'000;

/// Returns up to about 2,000 sequences, enough for several laps.
Sizes made_up_sizes() {
  const auto most = *rc::gen::element<std::int64_t>(2, 9, 60);
  Sizes sizes(*any_of<std::size_t>(1, 8));
  for (auto& chunk : sizes) {
    chunk = *rc::gen::container<std::vector<std::int64_t>>(*any_of<std::size_t>(1, 250),
                                                           any_of<std::int64_t>(1, most));
  }
  return sizes;
}

OrderOptions made_up_keyed() {
  OrderOptions options{.minibatch_size = *any_of<std::int64_t>(1, 500),
                       .unit = *rc::gen::element(MinibatchUnit::samples, MinibatchUnit::sequences),
                       .epochs = *any_of<std::int64_t>(1, 4),
                       .algorithm = OrderAlgorithm::keyed,
                       .seed = *rc::gen::arbitrary<std::uint64_t>(),
                       .window_chunks = *any_of<std::int64_t>(1, 9),
                       .balance = *rc::gen::element(Balance::cost, Balance::count),
                       .batching = *rc::gen::element(Batching::plain, Batching::bucketed)};
  if (*rc::gen::arbitrary<bool>()) options.epoch_size = *any_of<std::int64_t>(1, 3000);
  if (options.unit == MinibatchUnit::sequences) {
    options.sizes = *rc::gen::element(sheaf::Sizes::even, sheaf::Sizes::exact);
  }
  return options;
}

std::unique_ptr<Sequencer> sequencer_of(const Sizes& sizes, OrderOptions options,
                                        std::int64_t worker = 0, std::int64_t worker_count = 1) {
  options.worker_index = worker;
  options.worker_count = worker_count;
  return make_sequencer(std::make_shared<MadeUpCounts>(sizes), options);
}

std::vector<SequenceRef> sorted(std::vector<SequenceRef> sequences) {
  std::ranges::sort(sequences, {}, [](const SequenceRef& ref) {
    return std::pair(static_cast<std::int64_t>(ref.chunk), ref.sequence);
  });
  return sequences;
}

// At any step, a different number of workers can continue the run.
RC_GTEST_PROP(KeyedLaws, AnyNumberOfWorkersContinuesTheSameMinibatches, ()) {
  const Sizes sizes = made_up_sizes();
  const OrderOptions options = made_up_keyed();
  const std::vector<testing::WalkedStep> steps = walk(*sequencer_of(sizes, options), {}, kStepsMax);
  constexpr std::size_t kLookedAt = 20;
  const std::size_t every = steps.size() / kLookedAt + 1;
  for (std::size_t i = *any_of<std::size_t>(0, every); i < steps.size(); i += every) {
    const Step& whole = steps[i];
    const Place place = i == 0 ? Place{} : steps[i - 1].next;
    const auto worker_count = *any_of<std::int64_t>(1, 6);
    std::vector<SequenceRef> together;
    std::int64_t samples = 0;
    for (std::int64_t worker = 0; worker < worker_count; ++worker) {
      const auto sequencer = sequencer_of(sizes, options, worker, worker_count);
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

// A window that never moves holds all data, regardless of how the data are read.
RC_GTEST_PROP(KeyedLaws, AWindowOfAllDataGivesOneOrderForAnyUnits, ()) {
  const Sizes sizes = made_up_sizes();
  OrderOptions options = made_up_keyed();
  options.window_chunks = *any_of<std::int64_t>(1, 9);
  const auto whole = std::make_shared<MadeUpCounts>(sizes);
  whole->parts_are_read = false;
  const std::vector<testing::WalkedStep> steps =
      walk(*make_sequencer(whole, options), {}, kStepsMax);
  options.window_chunks = std::ssize(sizes);
  const std::vector<testing::WalkedStep> expected =
      walk(*sequencer_of(sizes, options), {}, kStepsMax);
  RC_ASSERT(steps.size() == expected.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    RC_ASSERT(testing::is_same(steps[i], expected[i]));
  }
}

TEST(Keyed, UndividedChunksEnterAMovingWindowWhole) {
  struct Case {
    std::int64_t chunk_count;
    std::int64_t window;
    bool moves;
  };
  // A lap has at least 32 units. Here, units are chunks.
  for (const Case& each : {Case{63, 10, false}, Case{64, 10, true}, Case{64, 63, true},
                           Case{64, 64, false}, Case{200, 50, true}}) {
    const Sizes sizes(static_cast<std::size_t>(each.chunk_count), std::vector<std::int64_t>(20, 1));
    const auto counts = std::make_shared<MadeUpCounts>(sizes);
    counts->parts_are_read = false;
    const OrderOptions options{
        .minibatch_size = 16, .algorithm = OrderAlgorithm::keyed, .window_chunks = each.window};
    const auto sequencer = make_sequencer(counts, options);
    std::set<SequenceRef, decltype([](const SequenceRef& a, const SequenceRef& b) {
               return std::pair(static_cast<std::int64_t>(a.chunk), a.sequence) <
                      std::pair(static_cast<std::int64_t>(b.chunk), b.sequence);
             })>
        delivered;
    std::vector<std::size_t> windows;
    for (const testing::WalkedStep& step : walk(*sequencer, {}, kStepsMax)) {
      delivered.insert(step.sequences.begin(), step.sequences.end());
      if (!step.ends_sweep) windows.push_back(testing::window_of(*sequencer, step.next).size());
    }
    EXPECT_EQ(std::ssize(delivered), each.chunk_count * 20);
    const auto [least, most] = std::ranges::minmax(windows);
    EXPECT_EQ(most < static_cast<std::size_t>(each.chunk_count), each.moves) << each.chunk_count;
    EXPECT_TRUE(each.moves || least == most);
  }
}

// The minibatch size cuts the order, but does not change it.
RC_GTEST_PROP(KeyedLaws, TheMinibatchSizeDoesNotChangeTheOrder, ()) {
  const Sizes sizes = made_up_sizes();
  OrderOptions options = made_up_keyed();
  options.batching = Batching::plain;
  const auto order = [&] {
    std::vector<SequenceRef> sequences;
    for (const testing::WalkedStep& step : walk(*sequencer_of(sizes, options), {}, kStepsMax)) {
      sequences.insert(sequences.end(), step.sequences.begin(), step.sequences.end());
    }
    return sequences;
  };
  const std::vector<SequenceRef> before = order();
  options.sizes = sheaf::Sizes::even;
  options.minibatch_size = *any_of<std::int64_t>(1, 500);
  options.unit = *rc::gen::element(MinibatchUnit::samples, MinibatchUnit::sequences);
  RC_ASSERT(order() == before);
}

// The sweep is cut into equal stretches. A minibatch has the sequences that begin in its stretch.
RC_GTEST_PROP(KeyedLaws, MinibatchesHaveAboutTheRequestedSize, ()) {
  const Sizes sizes = made_up_sizes();
  OrderOptions options = made_up_keyed();
  options.batching = Batching::plain;
  options.epoch_size = {};
  std::int64_t longest = 0;
  for (const auto& chunk : sizes) longest = std::max(longest, std::ranges::max(chunk));
  const bool counts_samples = options.unit == MinibatchUnit::samples;
  for (const testing::WalkedStep& step : walk(*sequencer_of(sizes, options), {}, kStepsMax)) {
    RC_ASSERT(!step.sequences.empty());
    if (!counts_samples) RC_ASSERT(std::ssize(step.sequences) <= options.minibatch_size);
    if (counts_samples) RC_ASSERT(step.sample_count < options.minibatch_size + longest);
  }
}

// A delivered sequence is held by an earlier range or by a range of the step. Everything that was
// loaded is released at the end.
RC_GTEST_PROP(KeyedLaws, DeliveredSequencesAreHeld, ()) {
  const Sizes sizes = made_up_sizes();
  OrderOptions options = made_up_keyed();
  options.epoch_size = {};
  options.sweeps = *any_of<std::int64_t>(1, 3);
  const auto worker_count = *any_of<std::int64_t>(1, 5);
  const auto worker = *any_of<std::int64_t>(0, worker_count);
  testing::assert_held_where_delivered(*sequencer_of(sizes, options, worker, worker_count));
}

TEST(KeyedSequencer, SweepsAreDividedEvenly) {
  Sizes sizes(10, std::vector<std::int64_t>(1000, 7));
  const OrderOptions options{.minibatch_size = 999,
                             .unit = MinibatchUnit::sequences,
                             .sweeps = 2,
                             .algorithm = OrderAlgorithm::keyed,
                             .window_chunks = 10};
  const std::vector<testing::WalkedStep> steps = walk(*sequencer_of(sizes, options));
  ASSERT_EQ(std::ssize(steps), 2 * 11);
  for (const testing::WalkedStep& step : steps) {
    EXPECT_GE(std::ssize(step.sequences), 909);
    EXPECT_LE(std::ssize(step.sequences), 910);
  }
  EXPECT_TRUE(steps[10].ends_sweep);
  EXPECT_FALSE(steps[10].ends_epoch);
  EXPECT_TRUE(steps[21].ends_epoch);
}

TEST(KeyedSequencer, ALongSequenceMakesNoEmptyMinibatches) {
  const Sizes sizes = {{1, 1, 1000, 1, 1}};
  const OrderOptions options{
      .minibatch_size = 10, .algorithm = OrderAlgorithm::keyed, .window_chunks = 1};
  std::int64_t sequences = 0;
  for (const testing::WalkedStep& step : walk(*sequencer_of(sizes, options))) {
    EXPECT_FALSE(step.sequences.empty());
    sequences += std::ssize(step.sequences);
  }
  EXPECT_EQ(sequences, 5);
}

TEST(KeyedSequencer, SequencesWithoutSamplesAreDelivered) {
  const Sizes sizes = {{0, 3, 0, 4, 0}, {0, 0}};
  for (const std::optional<std::int64_t> epoch_size : {std::optional<std::int64_t>(), {4}}) {
    const OrderOptions options{.minibatch_size = 2,
                               .epoch_size = epoch_size,
                               .epochs = epoch_size ? 7 : 2,
                               .algorithm = OrderAlgorithm::keyed,
                               .window_chunks = 1};
    std::int64_t sequences = 0;
    for (const testing::WalkedStep& step : walk(*sequencer_of(sizes, options))) {
      sequences += std::ssize(step.sequences);
    }
    EXPECT_GE(sequences, 2 * 7 - 3) << epoch_size.value_or(0);
  }
  const OrderOptions options{.algorithm = OrderAlgorithm::keyed, .window_chunks = 1};
  EXPECT_EQ(std::ssize(walk(*sequencer_of({{0, 0, 0}}, options))), 1);
}

TEST(KeyedSequencer, EmptyDataGiveNoSteps) {
  const OrderOptions options{.algorithm = OrderAlgorithm::keyed, .window_chunks = 1};
  EXPECT_TRUE(walk(*sequencer_of({}, options)).empty());
}

TEST(KeyedSequencer, WithOneLapTheNextSweepLoadsNothing) {
  const Sizes sizes(4, std::vector<std::int64_t>(100, 1));
  const OrderOptions options{
      .minibatch_size = 50, .sweeps = 3, .algorithm = OrderAlgorithm::keyed, .window_chunks = 4};
  std::int64_t loaded = 0;
  for (const testing::WalkedStep& step : walk(*sequencer_of(sizes, options, 1, 2))) {
    for (const ChunkRange& range : step.load) loaded += range.count > 1 ? range.count : 0;
  }
  EXPECT_EQ(loaded, 200);
}

TEST(KeyedSequencer, APositionAppliesToAllWorkers) {
  const OrderOptions options{
      .minibatch_size = 99, .algorithm = OrderAlgorithm::keyed, .seed = 7, .window_samples = 30};
  const auto one = sequencer_of({{1}}, options, 2, 3);
  EXPECT_EQ(one->algorithm(), "keyed/1");
  EXPECT_EQ(one->options(), (std::map<std::string, std::string>{
                                {"seed", "7"}, {"sweeps", "1"}, {"window_samples", "30"}}));
  OrderOptions bucketed = options;
  bucketed.batching = Batching::bucketed;
  EXPECT_EQ(sequencer_of({{1}}, bucketed)->options(),
            (std::map<std::string, std::string>{{"seed", "7"},
                                                {"sweeps", "1"},
                                                {"window_samples", "30"},
                                                {"batching", "bucketed"},
                                                {"minibatch_size", "99"},
                                                {"unit", "samples"}}));
  OrderOptions truncated = options;
  truncated.truncation_length = 5;
  EXPECT_EQ(sequencer_of({{1}}, truncated, 2, 3)->options().at("worker"), "2/3");
}

// Nobody counts the samples before the place where a sweep is entered, so only the end of the sweep
// shows a wrong sample.
TEST(KeyedSequencer, AnInconsistentSampleIsRefusedByTheEndOfTheSweep) {
  OrderOptions options{.minibatch_size = 3, .algorithm = OrderAlgorithm::keyed};
  options.window_chunks = 2;
  int refused = 0;
  for (const std::optional<std::int64_t> epoch_size : {std::optional<std::int64_t>(), {30}}) {
    options.epoch_size = epoch_size;
    options.sweeps = 2;
    std::vector<Place> places;
    const auto error_from = [&](Place place) -> std::string {
      const auto sequencer = sequencer_of({{3, 4, 1, 1}, {5, 2, 7}}, options);
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

TEST(KeyedSequencer, RefusesInvalidOptionsAndPlaces) {
  const auto error_of = [](const OrderOptions& options, const Place& place = {}) -> std::string {
    try {
      static_cast<void>(testing::step_of(*sequencer_of({{3, 4}, {5}}, options), place));
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
  EXPECT_EQ(error_of(options, {.carry = {9}}),
            "position: carry 9: the run that begins here has 1 batches");
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
