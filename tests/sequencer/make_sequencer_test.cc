// The laws of every order that options can choose.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/sequencer.h"

#include "sequencer/made_up_counts.h"
#include "sequencer/made_up_options.h"
#include "sequencer/window_law.h"

namespace sheaf {
namespace {

using testing::any_of;
using testing::is_same;
using testing::made_up_options;
using testing::MadeUpCounts;
using testing::Sizes;
using testing::walk;

constexpr std::int64_t kStepsMax = 100'000;

Sizes made_up_sizes() {
  const auto length = rc::gen::oneOf(any_of<std::int64_t>(1, 4), any_of<std::int64_t>(1, 30));
  const auto chunk =
      rc::gen::nonEmpty(rc::gen::resize(12, rc::gen::container<std::vector<std::int64_t>>(length)));
  return *rc::gen::nonEmpty(rc::gen::resize(10, rc::gen::container<Sizes>(chunk)));
}

std::unique_ptr<Sequencer> sequencer_of(const Sizes& sizes, const OrderOptions& options) {
  return make_sequencer(std::make_shared<MadeUpCounts>(sizes), options);
}

using Sample = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

/// Returns the samples of a step as chunk, sequence, sample.
std::vector<Sample> samples_of(const Step& step, const Sizes& sizes) {
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < step.sequences.size(); ++i) {
    const auto chunk = static_cast<std::int64_t>(step.sequences[i].chunk);
    const std::int64_t sequence = step.sequences[i].sequence;
    const bool is_whole = step.slices.empty() || step.slices[i].count == SampleRange::kAll;
    const SampleRange slice = is_whole ? SampleRange{0, sizes[static_cast<std::size_t>(chunk)]
                                                             [static_cast<std::size_t>(sequence)]}
                                       : step.slices[i];
    for (std::int64_t s = slice.first; s < slice.first + slice.count; ++s) {
      samples.emplace_back(chunk, sequence, s);
    }
  }
  return samples;
}

/// Returns how many samples of a sequence of `sample_count` samples a sweep delivers.
std::int64_t delivered_samples(std::int64_t sample_count, const OrderOptions& options) {
  const std::int64_t row_samples = options.row_samples.value_or(sample_count);
  if (sample_count <= row_samples) return sample_count;
  switch (options.long_sequences) {
    case LongSequences::truncate:
      return row_samples;
    case LongSequences::drop:
      return 0;
    default:
      return sample_count;
  }
}

std::int64_t sample_count(const Sizes& sizes, const OrderOptions& options) {
  std::int64_t count = 0;
  for (const auto& chunk : sizes) {
    for (const std::int64_t size : chunk) count += delivered_samples(size, options);
  }
  return count;
}

/// Returns options for any order that delivers at least one sequence.
OrderOptions options_for(const Sizes& sizes) {
  OrderOptions options = made_up_options();
  if (options.row_samples && sample_count(sizes, options) == 0) options.row_samples = 30;
  return options;
}

TEST(OrderLaws, AnEpochOfSamplesNeedsSamples) {
  for (const OrderAlgorithm algorithm :
       {OrderAlgorithm::file, OrderAlgorithm::cntk, OrderAlgorithm::keyed}) {
    OrderOptions options{.epoch_size = 10, .algorithm = algorithm};
    if (algorithm != OrderAlgorithm::file) options.window_chunks = 3;
    const auto sequencer = sequencer_of({{0, 0}, {0}}, options);
    EXPECT_THROW(walk(*sequencer, {}, kStepsMax), ConfigError) << sequencer->algorithm();
  }
}

RC_GTEST_PROP(OrderLaws, ResumingAnywhereEqualsNotStopping, ()) {
  const Sizes sizes = made_up_sizes();
  const OrderOptions options = options_for(sizes);
  const std::vector<testing::WalkedStep> all = walk(*sequencer_of(sizes, options), {}, kStepsMax);
  RC_ASSERT(std::ssize(all) < kStepsMax);
  Place place;
  for (std::size_t i = 0; i < all.size(); place = all[i++].next) {
    const auto sequencer = sequencer_of(sizes, options);
    testing::Stepper fresh(*sequencer);
    const std::optional<Step> step = fresh.step(place);
    RC_ASSERT(step.has_value());
    RC_ASSERT(is_same(*step, all[i]));
    // Goes back and forth with one cursor.
    const std::size_t other = (i * 7 + 3) % all.size();
    const Place other_place = other == 0 ? Place{} : all[other - 1].next;
    RC_ASSERT(is_same(*fresh.step(other_place), all[other]));
    RC_ASSERT(is_same(*fresh.step(place), all[i]));
  }
  RC_ASSERT(!testing::step_of(*sequencer_of(sizes, options), place).has_value());
}

/// The steps of one caller. Other callers ask in between.
struct Caller {
  testing::Stepper stepper;
  Place place{};
  std::size_t steps = 0;
};

// Callers do not affect each other.
RC_GTEST_PROP(OrderLaws, StepsCanBeRequestedInAnyOrder, ()) {
  const Sizes sizes = made_up_sizes();
  const OrderOptions options = options_for(sizes);
  const std::vector<testing::WalkedStep> all = walk(*sequencer_of(sizes, options), {}, kStepsMax);
  const auto sequencer = sequencer_of(sizes, options);
  std::vector<Caller> callers;
  for (int i = 0; i < 3; ++i) callers.push_back({testing::Stepper(*sequencer)});
  const std::size_t turns = std::min<std::size_t>(3 * all.size() + 3, 300);
  for (std::size_t turn = 0; turn < turns; ++turn) {
    Caller& caller = callers[*any_of<std::size_t>(0, callers.size())];
    const std::optional<Step> step = caller.stepper.step(caller.place);
    RC_ASSERT(step.has_value() == (caller.steps < all.size()));
    if (!step) continue;
    RC_ASSERT(is_same(*step, all[caller.steps++]));
    caller.place = step->next;
  }
}

TEST(OrderLaws, AnOrderCanBeUsedConcurrently) {
  const Sizes sizes(20, std::vector<std::int64_t>(100, 3));
  for (const OrderAlgorithm algorithm :
       {OrderAlgorithm::file, OrderAlgorithm::cntk, OrderAlgorithm::keyed}) {
    OrderOptions options{.minibatch_size = 10, .sweeps = 2, .algorithm = algorithm};
    if (algorithm != OrderAlgorithm::file) options.window_chunks = 4;
    const std::vector<testing::WalkedStep> all = walk(*sequencer_of(sizes, options), {}, kStepsMax);
    const auto sequencer = sequencer_of(sizes, options);
    std::vector<std::vector<testing::WalkedStep>> found(4);
    std::vector<std::thread> threads;
    for (auto& steps : found) {
      threads.emplace_back([&] { steps = walk(*sequencer, {}, kStepsMax); });
    }
    for (std::thread& thread : threads) thread.join();
    for (const auto& steps : found) {
      ASSERT_EQ(steps.size(), all.size());
      for (std::size_t i = 0; i < all.size(); ++i) ASSERT_TRUE(is_same(steps[i], all[i])) << i;
    }
  }
}

RC_GTEST_PROP(OrderLaws, TheWindowIsAFunctionOfThePlace, ()) {
  const Sizes sizes = made_up_sizes();
  testing::assert_windows_of_places(*sequencer_of(sizes, options_for(sizes)));
}

// Every sequence of a step lies in a held range or in a range that the step passes.
RC_GTEST_PROP(OrderLaws, SequencesOfAStepAreHeldOrPassed, ()) {
  const Sizes sizes = made_up_sizes();
  OrderOptions options = options_for(sizes);
  RC_PRE(options.algorithm != OrderAlgorithm::file);
  RC_PRE(!options.truncation_length && !options.split_frames);
  RC_PRE(options.long_sequences != LongSequences::split);
  std::set<ChunkRange> held;
  for (const testing::WalkedStep& step : walk(*sequencer_of(sizes, options), {}, kStepsMax)) {
    held.insert(step.load.begin(), step.load.end());
    for (const SequenceRef& ref : step.sequences) {
      const auto has = [&](const ChunkRange& range) {
        return range.contains(ref.chunk, ref.sequence);
      };
      RC_ASSERT(std::ranges::any_of(held, has) || std::ranges::any_of(step.passed, has));
    }
    for (const ChunkRange& range : step.release) held.erase(range);
  }
  RC_ASSERT(held.empty());
}

// Each of its sweeps delivers every sequence once, or every sample of it.
RC_GTEST_PROP(OrderLaws, AStepNamesTheSweepOfEachSequence, ()) {
  const Sizes sizes = made_up_sizes();
  OrderOptions options = options_for(sizes);
  options.epoch_size = {};
  options.sweeps = *any_of<std::int64_t>(1, 4);
  std::map<std::pair<std::int64_t, Sample>, std::int64_t> delivered;
  for (options.worker_index = 0; options.worker_index < options.worker_count;
       ++options.worker_index) {
    for (const Step& step : walk(*sequencer_of(sizes, options), {}, kStepsMax)) {
      RC_ASSERT(step.sweeps.empty() || step.sweeps.size() == step.sequences.size());
      for (std::size_t i = 0; i < step.sequences.size(); ++i) {
        Step one{.sequences = {step.sequences[i]}};
        if (!step.slices.empty()) one.slices = {step.slices[i]};
        for (const Sample& sample : samples_of(one, sizes)) {
          ++delivered[{step.sweep_of(i), sample}];
        }
      }
    }
  }
  const std::int64_t sweeps = *options.sweeps * *options.epochs;
  RC_ASSERT(std::ssize(delivered) == sweeps * sample_count(sizes, options));
  for (const auto& [sample, times] : delivered) RC_ASSERT(times == 1);
}

RC_GTEST_PROP(OrderLaws, WorkersTogetherDeliverEverySampleOfEachSweepOnce, ()) {
  const Sizes sizes = made_up_sizes();
  OrderOptions options = options_for(sizes);
  options.epoch_size = {};
  options.sweeps = *any_of<std::int64_t>(1, 4);
  std::map<Sample, std::int64_t> delivered;
  for (options.worker_index = 0; options.worker_index < options.worker_count;
       ++options.worker_index) {
    for (const testing::WalkedStep& step : walk(*sequencer_of(sizes, options), {}, kStepsMax)) {
      for (const Sample& sample : samples_of(step, sizes)) ++delivered[sample];
    }
  }
  RC_ASSERT(std::ssize(delivered) == sample_count(sizes, options));
  for (const auto& [sample, times] : delivered) {
    RC_ASSERT(times == *options.sweeps * *options.epochs);
  }
}

RC_GTEST_PROP(OrderLaws, AMinibatchKeepsItsSizeOrHasOneSequence, ()) {
  const Sizes sizes = made_up_sizes();
  const OrderOptions options = options_for(sizes);
  RC_PRE(!options.truncation_length);
  RC_PRE(options.algorithm != OrderAlgorithm::keyed);  // with `keyed`, sizes are approximate
  const std::int64_t share = std::max<std::int64_t>(
      1, options.timeline == Timeline::global
             ? options.minibatch_size
             : (options.minibatch_size + options.worker_count - 1) / options.worker_count);
  for (const testing::WalkedStep& step : walk(*sequencer_of(sizes, options), {}, kStepsMax)) {
    std::int64_t cost = 0;
    for (const SequenceRef& ref : step.sequences) {
      cost += MadeUpCounts::made_up_cost(static_cast<std::int64_t>(ref.chunk), ref.sequence);
    }
    const std::int64_t size = options.unit == MinibatchUnit::samples ? step.sample_count
                              : options.unit == MinibatchUnit::cost  ? cost
                                                                     : std::ssize(step.sequences);
    RC_ASSERT(size <= share || std::ssize(step.sequences) == 1);
  }
}

RC_GTEST_PROP(OrderLaws, EveryEpochEnds, ()) {
  const Sizes sizes = made_up_sizes();
  const OrderOptions options = options_for(sizes);
  std::int64_t ends = 0;
  for (const testing::WalkedStep& step : walk(*sequencer_of(sizes, options), {}, kStepsMax)) {
    ends += step.ends_epoch ? 1 : 0;
    if (!options.truncation_length) RC_ASSERT(step.next.epoch == ends);
  }
  RC_ASSERT(ends == *options.epochs);
}

// The advice about memory keeps memory small: the window of a place is no larger than the window of
// one rank.
RC_GTEST_PROP(OrderLaws, NoMoreThanAWindowIsHeld, ()) {
  const Sizes sizes = made_up_sizes();
  OrderOptions options = options_for(sizes);
  options.algorithm = OrderAlgorithm::cntk;
  options.balance = Balance::cost;
  options.batching = Batching::plain;
  options.sizes = sheaf::Sizes::even;
  options.drop_last = false;
  options.window_samples.reset();
  options.window_chunks = *any_of<std::int64_t>(1, 8);
  const std::int64_t step_chunks_max = *options.window_chunks;
  std::set<ChunkRange> held;
  for (const testing::WalkedStep& step : walk(*sequencer_of(sizes, options), {}, kStepsMax)) {
    held.insert(step.load.begin(), step.load.end());
    for (const ChunkRange& range : step.release) held.erase(range);
    if (options.truncation_length) continue;  // slots keep units for longer
    RC_ASSERT(std::ssize(held) <= step_chunks_max);
  }
  RC_ASSERT(held.empty());
}

RC_GTEST_PROP(OrderLaws, PlaceOfFindsTheSequenceOfASample, ()) {
  const Sizes sizes = made_up_sizes();
  OrderOptions options = options_for(sizes);
  options.worker_count = 1;
  options.worker_index = 0;
  options.truncation_length = {};
  options.epochs = {};
  const auto sequencer = sequencer_of(sizes, options);
  const std::int64_t sample = *any_of<std::int64_t>(0, 3 * sample_count(sizes, options));
  const Place found = sequencer->place_of(sample);
  const std::int64_t start = found.sweep * sample_count(sizes, options) + found.sample;
  RC_ASSERT(start >= sample);
  const std::optional<Step> step = testing::step_of(*sequencer, found);
  RC_ASSERT(step.has_value());
  RC_ASSERT(!step->sequences.empty());
  if (sample > 0) RC_ASSERT(sequencer->place_of(sample - 1).sweep <= found.sweep);
}

/// The sequences of some sweeps as one worker delivers them, or their frames.
struct Delivered {
  std::vector<SequenceRef> sequences;
  std::vector<SampleRange> slices;
};

Delivered delivered_by_one(const Sizes& sizes, OrderOptions options, std::int64_t sweeps) {
  options.worker_count = 1;
  options.worker_index = 0;
  options.epochs = 1;
  options.epoch_size = {};
  options.sweeps = sweeps;
  Delivered delivered;
  for (const testing::WalkedStep& step : walk(*sequencer_of(sizes, options), {}, kStepsMax)) {
    std::ranges::copy(step.sequences, std::back_inserter(delivered.sequences));
    std::ranges::copy(step.slices, std::back_inserter(delivered.slices));
  }
  return delivered;
}

RC_GTEST_PROP(OrderLaws, ASequenceByNumberEqualsThatOfTheSweep, ()) {
  constexpr std::int64_t kSweeps = 3;
  const Sizes sizes = made_up_sizes();
  OrderOptions options = options_for(sizes);
  RC_PRE(!options.truncation_length);
  options.batching = Batching::plain;  // only plain batches number their sequences
  const Delivered delivered = delivered_by_one(sizes, options, kSweeps);
  const std::int64_t count = std::ssize(delivered.sequences) / kSweeps;
  const std::vector<testing::WalkedStep> steps = walk(*sequencer_of(sizes, options), {}, kStepsMax);

  // Looks sequences up back and forth, between the steps of any worker. The steps do not change.
  const auto order = sequencer_of(sizes, options);
  testing::Stepper sequencer(*order);
  Place place;
  for (std::int64_t i = 0; i < kSweeps * count; ++i) {
    const std::int64_t at = i % 4 == 3 ? i * 7 % (kSweeps * count) : i;
    const std::optional<Step> found = sequencer.sequence_at(at / count, at % count);
    RC_ASSERT(found.has_value());
    const SequenceRef& expected = delivered.sequences[static_cast<std::size_t>(at)];
    RC_ASSERT(found->sequences == std::vector<SequenceRef>{expected});
    if (!delivered.slices.empty()) {
      const SampleRange slice = delivered.slices[static_cast<std::size_t>(at)];
      RC_ASSERT(found->slices == std::vector<SampleRange>{slice});
    } else {
      RC_ASSERT(found->slices.empty());
    }
    RC_ASSERT(found->sample_count == std::ssize(samples_of(*found, sizes)));
    RC_ASSERT(!found->ends_sweep && !found->ends_epoch);
    RC_ASSERT(found->passed.empty());
    RC_ASSERT(found->sweep == at / count);
    if (i % 3 == 0 && i / 3 < std::ssize(steps)) {
      const Step& step = steps[static_cast<std::size_t>(i / 3)];
      RC_ASSERT(is_same(*sequencer.step(place), step));
      place = step.next;
    }
  }
  for (std::int64_t sweep = 0; sweep < kSweeps; ++sweep) {
    RC_ASSERT(!sequencer.sequence_at(sweep, count).has_value());
    RC_ASSERT(!sequencer.sequence_at(sweep, -1).has_value());
  }
  RC_ASSERT(!sequencer.sequence_at(-1, 0).has_value());
}

TEST(MakeSequencer, EmptyDataGiveNoSteps) {
  for (const Sizes& sizes : {Sizes{}, Sizes{{}}}) {
    EXPECT_FALSE(testing::Stepper(*sequencer_of(sizes, {})).sequence_at(0, 0));
    EXPECT_FALSE(testing::Stepper(*sequencer_of(sizes, {.split_frames = true})).sequence_at(0, 0));
    const OrderOptions random{.algorithm = OrderAlgorithm::cntk, .window_chunks = 3};
    EXPECT_FALSE(testing::Stepper(*sequencer_of(sizes, random)).sequence_at(0, 0));
  }
}

/// An order that implements only the required functions.
class PlainSequencer final : public Sequencer {
 public:
  [[nodiscard]] std::string_view algorithm() const noexcept override { return "plain"; }
  [[nodiscard]] std::map<std::string, std::string> options() const override { return {}; }
  [[nodiscard]] std::optional<Step> step(const Place& /*from*/, OrderCursor& /*cursor*/,
                                         const StepRoom& /*room*/) const override {
    return {};
  }
};

TEST(MakeSequencer, OrdersWithoutNumberedSequencesSaySo) {
  const auto error_of = [](const Sequencer& sequencer) -> std::string {
    try {
      static_cast<void>(testing::Stepper(sequencer).sequence_at(2, 7));
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(error_of(PlainSequencer()),
            "sequence_at: the order \"plain\" cannot tell which sequence is number 7 of sweep 2");
  EXPECT_EQ(
      error_of(*sequencer_of({{1, 2}}, {.truncation_length = 2})),
      "sequence_at: sequences are delivered in pieces, several at a time, where they are cut; "
      "leave truncation_length out");
}

TEST(MakeSequencer, SequencesThatCannotBeCutAreNotCut) {
  const auto refusal = [](const OrderOptions& options) -> std::string {
    auto counts = std::make_shared<testing::MadeUpCounts>(Sizes{{1, 2}, {30}});
    counts->sequences_can_be_cut = false;
    try {
      static_cast<void>(make_sequencer(counts, options));
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "none";
  };
  const std::string reason =
      " and lengths \"at_least\" exclude each other: samples behind the end of the first file "
      "belong to no piece; take lengths \"primary\", which leaves them out";
  EXPECT_EQ(refusal({.truncation_length = 2}), "truncation_length" + reason);
  EXPECT_EQ(refusal({.long_sequences = LongSequences::split, .row_samples = 9}),
            "long \"split\"" + reason);
  EXPECT_EQ(refusal({.long_sequences = LongSequences::truncate, .row_samples = 9}),
            "long \"truncate\"" + reason);
  EXPECT_EQ(refusal({.long_sequences = LongSequences::drop, .row_samples = 9}), "none");
  EXPECT_EQ(refusal({.split_frames = true}), "none");
  EXPECT_EQ(refusal({}), "none");
}

TEST(MakeSequencer, PlacesAfterTheEndAreRefused) {
  for (const OrderAlgorithm algorithm : {OrderAlgorithm::file, OrderAlgorithm::cntk}) {
    OrderOptions options{.sweeps = 2, .epochs = 3, .algorithm = algorithm};
    if (algorithm == OrderAlgorithm::cntk) options.window_chunks = 1;
    const auto sequencer = sequencer_of({{4, 4}, {4, 4}}, options);
    const Place last = sequencer->place_of(6 * 16 - 4);
    EXPECT_EQ(last.epoch, 2);
    EXPECT_EQ(last.sweep, 5);
    EXPECT_THROW(static_cast<void>(sequencer->place_of(6 * 16 - 3)), ConfigError);
  }
}

TEST(MakeSequencer, RefusesInvalidWindows) {
  const auto error_of = [](const OrderOptions& options) -> std::string {
    try {
      static_cast<void>(sequencer_of({{1}}, options));
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "none";
  };
  OrderOptions options{.algorithm = OrderAlgorithm::cntk};
  EXPECT_EQ(error_of(options),
            "no window is set: the order \"cntk\" takes one of window_chunks and window_samples");
  options.window_chunks = 0;
  EXPECT_EQ(error_of(options), "window_chunks must be at least 1: got 0");
  options.window_samples = 5;
  EXPECT_EQ(error_of(options),
            "two windows are set: the order \"cntk\" takes one of window_chunks and "
            "window_samples");
  options.window_chunks.reset();
  options.window_samples = -1;
  EXPECT_EQ(error_of(options), "window_samples must be at least 1: got -1");
  EXPECT_EQ(default_window_chunks(std::int64_t{32} << 20), 128);
  EXPECT_EQ(default_window_chunks(std::int64_t{8} << 30), 1);
  for (const std::int64_t size : {-1, 0, 1}) {
    EXPECT_EQ(default_window_chunks(size), std::int64_t{4} << 30) << size;
  }
}

TEST(MakeSequencer, OptionsOfAPositionAreThoseThatMatter) {
  const auto sequencer = sequencer_of({{1}}, {.worker_index = 1,
                                              .worker_count = 2,
                                              .algorithm = OrderAlgorithm::cntk,
                                              .seed = 7,
                                              .window_chunks = 3});
  EXPECT_EQ(sequencer->algorithm(), "cntk");
  EXPECT_EQ(sequencer->options(), (std::map<std::string, std::string>{{"minibatch_size", "256"},
                                                                      {"unit", "samples"},
                                                                      {"cut_at_sweep_end", "false"},
                                                                      {"sweeps", "1"},
                                                                      {"worker", "1/2"},
                                                                      {"timeline", "local"},
                                                                      {"seed", "7"},
                                                                      {"window_chunks", "3"}}));
}

}  // namespace
}  // namespace sheaf
