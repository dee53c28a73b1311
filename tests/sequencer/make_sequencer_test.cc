// Laws of every order that options can ask for.

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

namespace sheaf {
namespace {

using testing::any_of;
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

/// All that a step delivers: not its advice about memory.
bool is_same(const Step& a, const Step& b) {
  return a.sequences == b.sequences && a.slices == b.slices && a.slots == b.slots &&
         a.sample_count == b.sample_count && a.ends_sweep == b.ends_sweep &&
         a.ends_epoch == b.ends_epoch && a.next == b.next;
}

using Sample = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

/// The samples of a step: chunk, sequence, sample.
std::vector<Sample> samples_of(const Step& step, const Sizes& sizes) {
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < step.sequences.size(); ++i) {
    const auto chunk = static_cast<std::int64_t>(step.sequences[i].chunk);
    const std::int64_t sequence = step.sequences[i].sequence;
    const SampleRange slice = step.slices.empty()
                                  ? SampleRange{0, sizes[static_cast<std::size_t>(chunk)]
                                                        [static_cast<std::size_t>(sequence)]}
                                  : step.slices[i];
    for (std::int64_t s = slice.first; s < slice.first + slice.count; ++s) {
      samples.emplace_back(chunk, sequence, s);
    }
  }
  return samples;
}

std::int64_t sample_count(const Sizes& sizes) {
  std::int64_t count = 0;
  for (const auto& chunk : sizes) {
    for (const std::int64_t size : chunk) count += size;
  }
  return count;
}

TEST(OrderLaws, AnEpochOfSamplesOverDataWithoutAnyIsRefused) {
  for (const OrderAlgorithm algorithm :
       {OrderAlgorithm::file, OrderAlgorithm::cntk, OrderAlgorithm::keyed}) {
    OrderOptions options{.epoch_size = 10, .algorithm = algorithm};
    if (algorithm != OrderAlgorithm::file) options.window_chunks = 3;
    const auto sequencer = sequencer_of({{0, 0}, {0}}, options);
    EXPECT_THROW(walk(*sequencer, {}, kStepsMax), ConfigError) << sequencer->algorithm();
  }
}

RC_GTEST_PROP(OrderLaws, GoingOnAnywhereEqualsNotStopping, ()) {
  const Sizes sizes = made_up_sizes();
  const OrderOptions options = made_up_options();
  const std::vector<Step> all = walk(*sequencer_of(sizes, options), {}, kStepsMax);
  RC_ASSERT(std::ssize(all) < kStepsMax);
  Place place;
  for (std::size_t i = 0; i < all.size(); place = all[i++].next) {
    const auto fresh = sequencer_of(sizes, options);
    const std::optional<Step> step = fresh->step(place);
    RC_ASSERT(step.has_value());
    RC_ASSERT(is_same(*step, all[i]));
    // Back and forth on one object.
    const std::size_t other = (i * 7 + 3) % all.size();
    const Place other_place = other == 0 ? Place{} : all[other - 1].next;
    RC_ASSERT(is_same(*fresh->step(other_place), all[other]));
    RC_ASSERT(is_same(*fresh->step(place), all[i]));
  }
  RC_ASSERT(!sequencer_of(sizes, options)->step(place).has_value());
}

RC_GTEST_PROP(OrderLaws, WorkersTogetherDeliverEverySampleOfEachSweepOnce, ()) {
  const Sizes sizes = made_up_sizes();
  OrderOptions options = made_up_options();
  options.epoch_size = {};
  options.sweeps = *any_of<std::int64_t>(1, 4);
  std::map<Sample, std::int64_t> delivered;
  for (options.worker_index = 0; options.worker_index < options.worker_count;
       ++options.worker_index) {
    for (const Step& step : walk(*sequencer_of(sizes, options), {}, kStepsMax)) {
      for (const Sample& sample : samples_of(step, sizes)) ++delivered[sample];
    }
  }
  RC_ASSERT(std::ssize(delivered) == sample_count(sizes));
  for (const auto& [sample, times] : delivered) {
    RC_ASSERT(times == *options.sweeps * *options.epochs);
  }
}

RC_GTEST_PROP(OrderLaws, AMinibatchKeepsItsSizeOrHasOneSequence, ()) {
  const Sizes sizes = made_up_sizes();
  const OrderOptions options = made_up_options();
  RC_PRE(!options.truncation_length);
  RC_PRE(options.algorithm != OrderAlgorithm::keyed);  // about the size
  const std::int64_t share = std::max<std::int64_t>(
      1, options.timeline == Timeline::global
             ? options.minibatch_size
             : (options.minibatch_size + options.worker_count - 1) / options.worker_count);
  for (const Step& step : walk(*sequencer_of(sizes, options), {}, kStepsMax)) {
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

RC_GTEST_PROP(OrderLaws, EpochsEndWhereTheyShould, ()) {
  const Sizes sizes = made_up_sizes();
  const OrderOptions options = made_up_options();
  std::int64_t ends = 0;
  for (const Step& step : walk(*sequencer_of(sizes, options), {}, kStepsMax)) {
    ends += step.ends_epoch ? 1 : 0;
    if (!options.truncation_length) RC_ASSERT(step.next.epoch == ends);
  }
  RC_ASSERT(ends == *options.epochs);
}

// What the advice about memory is for: a chunk is named in `load` before a step takes sequences of
// it, is not named again until it was released, and no more is held than the window of one rank.
RC_GTEST_PROP(OrderLaws, NoMoreThanAWindowIsHeld, ()) {
  const Sizes sizes = made_up_sizes();
  OrderOptions options = made_up_options();
  options.algorithm = OrderAlgorithm::cntk;
  options.balance = Balance::cost;
  options.batching = Batching::plain;
  options.window_samples.reset();
  options.window_chunks = *any_of<std::int64_t>(1, 8);
  const std::int64_t step_chunks_max = *options.window_chunks;
  std::set<ChunkRange> held;
  for (const Step& step : walk(*sequencer_of(sizes, options), {}, kStepsMax)) {
    for (const ChunkRange& range : step.release) held.erase(range);
    held.insert(step.load.begin(), step.load.end());
    if (options.truncation_length) continue;  // slots hold on to chunks for longer
    RC_ASSERT(std::ssize(held) <= step_chunks_max);
    for (const SequenceRef& ref : step.sequences) {
      const ChunkRange chunk{ref.chunk};
      RC_ASSERT(held.contains(chunk) || std::ranges::count(step.release, chunk) > 0);
    }
  }
  if (!options.epoch_size) RC_ASSERT(held.empty());  // else it may end within a sweep
}

RC_GTEST_PROP(OrderLaws, ThePlaceOfASampleIsFound, ()) {
  const Sizes sizes = made_up_sizes();
  OrderOptions options = made_up_options();
  options.worker_count = 1;
  options.worker_index = 0;
  options.truncation_length = {};
  options.epochs = {};
  const auto sequencer = sequencer_of(sizes, options);
  const std::int64_t sample = *any_of<std::int64_t>(0, 3 * sample_count(sizes));
  const Place found = sequencer->place_of(sample);
  const std::int64_t start = found.sweep * sample_count(sizes) + found.sample;
  RC_ASSERT(start >= sample);
  const std::optional<Step> step = sequencer->step(found);
  RC_ASSERT(step.has_value());
  RC_ASSERT(!step->sequences.empty());
  if (sample > 0) RC_ASSERT(sequencer->place_of(sample - 1).sweep <= found.sweep);
}

/// The sequences of some sweeps as one worker delivers them, or the frames of these.
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
  for (const Step& step : walk(*sequencer_of(sizes, options), {}, kStepsMax)) {
    std::ranges::copy(step.sequences, std::back_inserter(delivered.sequences));
    std::ranges::copy(step.slices, std::back_inserter(delivered.slices));
  }
  return delivered;
}

RC_GTEST_PROP(OrderLaws, ASequenceByItsNumberIsTheOneThatASweepDeliversThere, ()) {
  constexpr std::int64_t kSweeps = 3;
  const Sizes sizes = made_up_sizes();
  OrderOptions options = made_up_options();
  RC_PRE(!options.truncation_length);
  options.batching = Batching::plain;  // the only one with numbers
  const Delivered delivered = delivered_by_one(sizes, options, kSweeps);
  const std::int64_t count = std::ssize(delivered.sequences) / kSweeps;
  const std::vector<Step> steps = walk(*sequencer_of(sizes, options), {}, kStepsMax);

  // Looked up back and forth, among the steps of any worker, which stay what they are.
  const auto sequencer = sequencer_of(sizes, options);
  Place place;
  for (std::int64_t i = 0; i < kSweeps * count; ++i) {
    const std::int64_t at = i % 4 == 3 ? i * 7 % (kSweeps * count) : i;
    const std::optional<Step> found = sequencer->sequence_at(at / count, at % count);
    RC_ASSERT(found.has_value());
    const SequenceRef& expected = delivered.sequences[static_cast<std::size_t>(at)];
    RC_ASSERT(found->sequences == std::vector<SequenceRef>{expected});
    if (options.split_frames) {
      const SampleRange slice = delivered.slices[static_cast<std::size_t>(at)];
      RC_ASSERT(found->slices == std::vector<SampleRange>{slice});
    } else {
      RC_ASSERT(found->slices.empty());
    }
    RC_ASSERT(found->sample_count == std::ssize(samples_of(*found, sizes)));
    RC_ASSERT(!found->ends_sweep && !found->ends_epoch);
    RC_ASSERT(found->load.empty() && found->release.empty());
    if (i % 3 == 0 && i / 3 < std::ssize(steps)) {
      const Step& step = steps[static_cast<std::size_t>(i / 3)];
      RC_ASSERT(is_same(*sequencer->step(place), step));
      place = step.next;
    }
  }
  for (std::int64_t sweep = 0; sweep < kSweeps; ++sweep) {
    RC_ASSERT(!sequencer->sequence_at(sweep, count).has_value());
    RC_ASSERT(!sequencer->sequence_at(sweep, -1).has_value());
  }
  RC_ASSERT(!sequencer->sequence_at(-1, 0).has_value());
}

TEST(MakeSequencer, DataWithoutSequencesHaveNone) {
  for (const Sizes& sizes : {Sizes{}, Sizes{{}}}) {
    EXPECT_FALSE(sequencer_of(sizes, {})->sequence_at(0, 0));
    EXPECT_FALSE(sequencer_of(sizes, {.split_frames = true})->sequence_at(0, 0));
    const OrderOptions random{.algorithm = OrderAlgorithm::cntk, .window_chunks = 3};
    EXPECT_FALSE(sequencer_of(sizes, random)->sequence_at(0, 0));
  }
}

/// An order that does not say more than it must.
class PlainSequencer final : public Sequencer {
 public:
  [[nodiscard]] std::string_view algorithm() const noexcept override { return "plain"; }
  [[nodiscard]] std::map<std::string, std::string> options() const override { return {}; }
  [[nodiscard]] std::optional<Step> step(const Place& /*from*/) const override { return {}; }
};

TEST(MakeSequencer, AnOrderThatCannotTellASequenceByItsNumberSaysSo) {
  const auto error_of = [](const Sequencer& sequencer) -> std::string {
    try {
      static_cast<void>(sequencer.sequence_at(2, 7));
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

TEST(MakeSequencer, NoPlaceIsFoundBehindTheEndOfTheRun) {
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

TEST(MakeSequencer, RefusesWindowsThatAreNone) {
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
}

TEST(MakeSequencer, APositionSaysWhatMatters) {
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
