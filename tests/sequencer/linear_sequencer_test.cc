#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/sequencer.h"

#include "sequencer/made_up_counts.h"

namespace sheaf {
namespace {

using testing::MadeUpCounts;
using testing::Sizes;
using testing::walk;

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

LinearSequencer sequencer_of(const Sizes& sizes, const OrderOptions& options) {
  return {std::make_shared<MadeUpCounts>(sizes), options};
}

std::string to_text(const Place& place) {
  return std::to_string(place.sweep) + "." + std::to_string(place.sequence) + "." +
         std::to_string(place.sample);
}

/// Returns a step as text: "0:0 0:1 1:0 samples=7 next=1.0.0 release=0,1 ends_sweep".
std::string to_text(const Step& step) {
  std::string text;
  for (const SequenceRef& ref : step.sequences) {
    text += std::to_string(static_cast<std::int64_t>(ref.chunk)) + ":" +
            std::to_string(ref.sequence) + " ";
  }
  text += "samples=" + std::to_string(step.sample_count) + " next=" + to_text(step.next);
  for (std::size_t i = 0; i < step.passed.size(); ++i) {
    text += (i == 0 ? " release=" : ",") +
            std::to_string(static_cast<std::int64_t>(step.passed[i].chunk));
  }
  if (step.ends_sweep) text += " ends_sweep";
  if (step.ends_epoch) text += " ends_epoch";
  return text;
}

std::vector<std::string> to_texts(const std::vector<testing::WalkedStep>& steps) {
  std::vector<std::string> texts;
  for (const Step& step : steps) texts.push_back(to_text(step));
  return texts;
}

struct WalkCase {
  const char* name;
  Sizes sizes;
  OrderOptions options;
  std::vector<std::string> steps;
};

const WalkCase walk_cases[] = {
    {"no chunk", {}, {}, {}},
    {"chunks without sequences", {{}, {}}, {.sweeps = {}}, {}},
    {"one sequence", {{3}}, {}, {"0:0 samples=3 next=1.0.0 release=0 ends_sweep ends_epoch"}},
    {"sequences while they fit",
     {{2, 2, 1, 4}},
     {.minibatch_size = 5},
     {"0:0 0:1 0:2 samples=5 next=0.3.5",  //
      "0:3 samples=4 next=1.0.0 release=0 ends_sweep ends_epoch"}},
    {"the first always",
     {{9, 1, 9}},
     {.minibatch_size = 5},
     {"0:0 samples=9 next=0.1.9",  //
      "0:1 samples=1 next=0.2.10", "0:2 samples=9 next=1.0.0 release=0 ends_sweep ends_epoch"}},
    {"the end of a chunk does not matter",
     {{1, 1}, {1, 1}},
     {.minibatch_size = 3},
     {"0:0 0:1 1:0 samples=3 next=0.3.3 release=0",
      "1:1 samples=1 next=1.0.0 release=1 ends_sweep ends_epoch"}},
    {"a chunk used up is released, though the next one is not begun",
     {{1, 2}, {3}},
     {.minibatch_size = 3},
     {"0:0 0:1 samples=3 next=0.2.3 release=0",
      "1:0 samples=3 next=1.0.0 release=1 ends_sweep ends_epoch"}},
    {"chunks without sequences are passed over",
     {{}, {1}, {}, {2}, {}},
     {.minibatch_size = 1},
     {"1:0 samples=1 next=0.1.1 release=1",
      "3:0 samples=2 next=1.0.0 release=3 ends_sweep ends_epoch"}},
    {"sequences are the unit",
     {{5, 6, 7}, {8}},
     {.minibatch_size = 2, .unit = MinibatchUnit::sequences},
     {"0:0 0:1 samples=11 next=0.2.11",
      "0:2 1:0 samples=15 next=1.0.0 release=0,1 ends_sweep ends_epoch"}},
    {"a minibatch crosses the end of a sweep",
     {{1, 1}, {1}},
     {.minibatch_size = 2, .sweeps = 2},
     {"0:0 0:1 samples=2 next=0.2.2 release=0", "1:0 0:0 samples=2 next=1.1.1 release=1 ends_sweep",
      "0:1 1:0 samples=2 next=2.0.0 release=0,1 ends_sweep ends_epoch"}},
    {"a minibatch is cut at the end of a sweep",
     {{1, 1}, {1}},
     {.minibatch_size = 2, .sweeps = 2, .sweep_ends = SweepEnds::cut},
     {"0:0 0:1 samples=2 next=0.2.2 release=0",  //
      "1:0 samples=1 next=1.0.0 release=1 ends_sweep", "0:0 0:1 samples=2 next=1.2.2 release=0",
      "1:0 samples=1 next=2.0.0 release=1 ends_sweep ends_epoch"}},
    {"a minibatch that ends with the sweep has its place at the next one's beginning",
     {{1, 1}},
     {.minibatch_size = 2, .sweeps = 2},
     {"0:0 0:1 samples=2 next=1.0.0 ends_sweep",
      "0:0 0:1 samples=2 next=2.0.0 release=0 ends_sweep ends_epoch"}},
    {"the only chunk is kept over the sweeps",
     {{1, 1, 1}},
     {.minibatch_size = 2, .sweeps = 2},
     {"0:0 0:1 samples=2 next=0.2.2",  //
      "0:2 0:0 samples=2 next=1.1.1 ends_sweep",
      "0:1 0:2 samples=2 next=2.0.0 release=0 ends_sweep ends_epoch"}},
    {"a minibatch of several sweeps releases each chunk once",
     {{1}, {1}},
     {.minibatch_size = 5, .sweeps = 3},
     {"0:0 1:0 0:0 1:0 0:0 samples=5 next=2.1.1 release=0 ends_sweep",
      "1:0 samples=1 next=3.0.0 release=1 ends_sweep ends_epoch"}},
    {"a minibatch larger than all sweeps",
     {{1}, {2}},
     {.minibatch_size = kHuge, .sweeps = 2},
     {"0:0 1:0 0:0 1:0 samples=6 next=2.0.0 release=0,1 ends_sweep ends_epoch"}},
    {"sequences without samples join a full minibatch, but not over the end of a sweep",
     {{0, 2, 0}, {0, 1, 0}},
     {.minibatch_size = 2, .sweeps = 2},
     {"0:0 0:1 0:2 1:0 samples=2 next=0.4.2 release=0",
      "1:1 1:2 0:0 samples=1 next=1.1.0 release=1 ends_sweep",
      "0:1 0:2 1:0 samples=2 next=1.4.2 release=0",
      "1:1 1:2 samples=1 next=2.0.0 release=1 ends_sweep ends_epoch"}},
    {"a full minibatch does not cross the end of a sweep",
     {{0, 2}, {0}},
     {.minibatch_size = 2, .sweeps = 2},
     {"0:0 0:1 1:0 samples=2 next=1.0.0 release=1 ends_sweep",
      "0:0 0:1 1:0 samples=2 next=2.0.0 release=0,1 ends_sweep ends_epoch"}},
    {"sequences of equal size after one that is too long, in several chunks",
     {{9}, {4, 4}, {0, 0}},
     {.minibatch_size = 4},
     {"0:0 samples=9 next=0.1.9 release=0",  //
      "1:0 samples=4 next=0.2.13",
      "1:1 2:0 2:1 samples=4 next=1.0.0 release=1,2 ends_sweep ends_epoch"}},
    {"sequences without samples follow one that is too long only in the next minibatch",
     {{7, 0, 1}},
     {.minibatch_size = 2},
     {"0:0 samples=7 next=0.1.7",  //
      "0:1 0:2 samples=1 next=1.0.0 release=0 ends_sweep ends_epoch"}},
    {"data without any samples make one minibatch a sweep",
     {{0, 0}, {0}},
     {.minibatch_size = 2, .sweeps = 2},
     {"0:0 0:1 1:0 samples=0 next=1.0.0 release=1 ends_sweep",
      "0:0 0:1 1:0 samples=0 next=2.0.0 release=0,1 ends_sweep ends_epoch"}},
};

TEST(LinearSequencer, FillsMinibatchesInFileOrder) {
  for (const WalkCase& row : walk_cases) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(to_texts(walk(sequencer_of(row.sizes, row.options))), row.steps);
  }
}

TEST(LinearSequencer, RepeatsSweepsWithoutALimit) {
  const LinearSequencer sequencer = sequencer_of({{1, 1, 1}}, {.minibatch_size = 2, .sweeps = {}});
  const std::vector<testing::WalkedStep> steps = walk(sequencer, {}, 300);
  ASSERT_EQ(std::ssize(steps), 300);
  EXPECT_EQ(to_text(steps.back()), "0:1 0:2 samples=2 next=200.0.0 ends_sweep");
  EXPECT_TRUE(std::ranges::none_of(steps, &Step::ends_epoch));
}

TEST(LinearSequencer, GivesNoStepAfterTheEnd) {
  const LinearSequencer sequencer = sequencer_of({{1}}, {.sweeps = 2});
  EXPECT_FALSE(testing::step_of(sequencer, {.epoch = 1, .sweep = 2}));
  EXPECT_FALSE(testing::step_of(sequencer, {.sweep = 1, .sequence = 1, .sample = 1}));
}

TEST(LinearSequencer, APlaceAtTheEndOfASweepIsTheStartOfTheNext) {
  const LinearSequencer sequencer = sequencer_of({{1, 2}, {3}}, {.minibatch_size = 3, .sweeps = 2});
  const auto at_end = testing::step_of(sequencer, {.sweep = 0, .sequence = 3, .sample = 6});
  ASSERT_TRUE(at_end);
  EXPECT_EQ(to_text(*at_end), "0:0 0:1 samples=3 next=1.2.3 release=0");
}

TEST(LinearSequencer, RefusesOptionsOutOfRange) {
  const struct {
    OrderOptions options;
    std::string error;
  } cases[] = {
      {{.minibatch_size = 0}, "minibatch_size must be at least 1: got 0"},
      {{.minibatch_size = -5}, "minibatch_size must be at least 1: got -5"},
      {{.sweeps = -1}, "sweeps must be at least 1, or empty (endless): got -1"},
  };
  for (const auto& row : cases) {
    try {
      static_cast<void>(sequencer_of({{1}}, row.options));
      ADD_FAILURE() << row.error;
    } catch (const ConfigError& error) {
      EXPECT_EQ(error.what(), row.error);
    }
  }
}

TEST(LinearSequencer, RefusesPlacesOfOtherOrders) {
  const Sizes sizes = {{1, 2}, {3, 4}};
  const struct {
    Place place;
    std::string error;
  } cases[] = {
      {{0, -1, 0, 0, {}},
       "position: no order has the place epoch 0, sweep -1, sequence 0, sample 0"},
      {{0, 0, -1, 0, {}},
       "position: no order has the place epoch 0, sweep 0, sequence -1, sample 0"},
      {{0, 0, 0, -1, {}},
       "position: no order has the place epoch 0, sweep 0, sequence 0, sample -1"},
      {{-1, 0, 0, 0, {}},
       "position: no order has the place epoch -1, sweep 0, sequence 0, sample 0"},
      {{0, kHuge, 0, 0, {}},
       "position: no order has the place epoch 0, sweep 9223372036854775807, sequence 0, sample 0"},
      {{0, 0, 0, 0, {1, 2}},
       "position: the order \"file\" carries one number below the number of workers, 1: got 2 "
       "numbers, the first is 1"},
      {{0, 0, 0, 0, {1}},
       "position: the order \"file\" carries one number below the number of workers, 1: got 1 "
       "numbers, the first is 1"},
      {{0, 0, 5, 10, {}}, "position: sequence 5 lies beyond the data, which have 4"},
      {{0, 0, kHuge, 10, {}},
       "position: sequence 9223372036854775807 lies beyond the data, which have 4"},
      {{0, 0, 0, 1, {}},
       "position: sample 1 does not belong to sequence 0, which has 0 samples of its sweep before "
       "it"},
      {{0, 1, 3, 5, {}},
       "position: sample 5 does not belong to sequence 3, which has 6 samples of its sweep before "
       "it"},
      {{0, 0, 4, 11, {}},
       "position: sample 11 does not belong to sequence 4, which has 10 samples of its sweep "
       "before it"},
      {{0, 2, 1, 1, {}}, "position: sweep 2, sequence 1, sample 1 lies behind epoch 0"},
      {{1, 1, 1, 1, {}}, "position: sweep 1, sequence 1, sample 1 lies before epoch 1"},
      {{2, 2, 0, 0, {}}, "position: epoch 2 lies beyond the last of 1 epochs"},
  };
  const LinearSequencer sequencer = sequencer_of(sizes, {.minibatch_size = 3, .sweeps = 2});
  for (const auto& row : cases) {
    try {
      static_cast<void>(testing::step_of(sequencer, row.place));
      ADD_FAILURE() << row.error;
    } catch (const ConfigError& error) {
      EXPECT_EQ(error.what(), row.error);
    }
    // A refusal has no side effect.
    EXPECT_EQ(to_text(*testing::step_of(sequencer, {})), "0:0 0:1 samples=3 next=0.2.3 release=0");
  }
  EXPECT_THROW(static_cast<void>(testing::step_of(sequencer_of({}, {}),
                                                  {.sweep = 0, .sequence = 1, .sample = 0})),
               ConfigError);
  EXPECT_THROW(static_cast<void>(testing::step_of(sequencer_of({}, {}),
                                                  {.sweep = 0, .sequence = 0, .sample = 1})),
               ConfigError);
}

TEST(LinearSequencer, HasANameAndOptions) {
  EXPECT_EQ(sequencer_of({}, {}).algorithm(), "file");
  using Options = std::map<std::string, std::string>;
  EXPECT_EQ(sequencer_of({}, {}).options(), (Options{{"minibatch_size", "256"},
                                                     {"unit", "samples"},
                                                     {"sweeps", "1"},
                                                     {"cut_at_sweep_end", "false"}}));
  const OrderOptions other = {.minibatch_size = 3,
                              .unit = MinibatchUnit::sequences,
                              .sweeps = {},
                              .sweep_ends = SweepEnds::cut};
  EXPECT_EQ(sequencer_of({}, other).options(), (Options{{"minibatch_size", "3"},
                                                        {"unit", "sequences"},
                                                        {"sweeps", "0"},
                                                        {"cut_at_sweep_end", "true"}}));
}

TEST(LinearSequencer, RequestsAChunkOnlyAfterThePreviousOne) {
  const auto counts = std::make_shared<MadeUpCounts>(Sizes{{1, 1, 1}, {1}, {1, 1}, {1}});
  const LinearSequencer sequencer(counts, {.minibatch_size = 2});
  EXPECT_EQ(counts->take_last_asked(), -1) << "nothing is asked before the first step";
  const std::int64_t expected[] = {0, 2, 3, 4};
  testing::Stepper stepper(sequencer);
  Place place;
  for (const std::int64_t last_asked : expected) {
    const std::optional<Step> step = stepper.step(place);
    ASSERT_TRUE(step);
    EXPECT_EQ(counts->take_last_asked(), last_asked) << to_text(*step);
    place = step->next;
  }
  EXPECT_EQ(place.sweep, 1);
}

TEST(LinearSequencer, FailedCountsPropagateAndLeaveTheOrderUnchanged) {
  const Sizes sizes = {{1, 1}, {1, 1}, {1}};
  const auto counts = std::make_shared<MadeUpCounts>(sizes);
  const LinearSequencer sequencer(counts, {.minibatch_size = 3});
  const std::vector<std::string> expected =
      to_texts(walk(sequencer_of(sizes, {.minibatch_size = 3})));
  for (std::int64_t chunk = 0; chunk <= 3; ++chunk) {
    counts->fail_from(chunk);
    EXPECT_THROW(static_cast<void>(walk(sequencer)), IoError) << chunk;
    counts->fail_from(kHuge);
    EXPECT_EQ(to_texts(walk(sequencer)), expected);
  }
}

TEST(LinearSequencer, InconsistentCountsAreAnInternalError) {
  const struct {
    ChunkCounts counts;
    std::string error;
  } cases[] = {
      {{3, 2}, "counts: chunk 0 has 3 sequences, but samples of 2 are counted"},
      {{2, 3}, "counts: chunk 0 has 3 samples, but its sequences have 2 together"},
      {{-1, 2}, "counts: chunk 0 has -1 sequences and 2 samples"},
  };
  for (const auto& row : cases) {
    const auto counts = std::make_shared<MadeUpCounts>(Sizes{{1, 1}});
    counts->set_chunk(0, row.counts);
    const LinearSequencer sequencer(counts, {});
    try {
      static_cast<void>(testing::step_of(sequencer, {}));
      ADD_FAILURE() << row.error;
    } catch (const InternalError& error) {
      EXPECT_EQ(error.what(), row.error);
    }
  }
}

// Properties, for made-up data of all kinds: empty chunks, chunks of equal sequences, empty
// sequences, and sequences longer than a minibatch.

struct Setup {
  Sizes sizes;
  OrderOptions options;
};

/// Returns numbers of [first, last), uniformly in all runs of a property. By default, the first
/// runs would only have small numbers.
template <typename T>
rc::Gen<T> any_of(T first, T last) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(first, last));
}

Setup made_up() {
  const auto chunk = rc::gen::oneOf(
      rc::gen::container<std::vector<std::int64_t>>(any_of<std::int64_t>(0, 8)),
      rc::gen::apply([](std::size_t count,
                        std::int64_t size) { return std::vector<std::int64_t>(count, size); },
                     any_of<std::size_t>(0, 80), any_of<std::int64_t>(0, 4)));
  return {
      .sizes = *rc::gen::resize(12, rc::gen::container<Sizes>(chunk)),
      .options = {.minibatch_size = *any_of<std::int64_t>(1, 40),
                  .unit = *rc::gen::element(MinibatchUnit::samples, MinibatchUnit::sequences),
                  .sweeps = *any_of<std::int64_t>(1, 4),
                  .sweep_ends = *rc::gen::arbitrary<bool>() ? SweepEnds::cut : SweepEnds::cross}};
}

std::vector<SequenceRef> sequences_of(const Sizes& sizes) {
  std::vector<SequenceRef> all;
  for (std::size_t chunk = 0; chunk < sizes.size(); ++chunk) {
    for (std::int64_t i = 0; i < std::ssize(sizes[chunk]); ++i) {
      all.push_back({ChunkIndex{static_cast<std::int64_t>(chunk)}, i});
    }
  }
  return all;
}

std::int64_t size_of(const Sizes& sizes, const SequenceRef& ref) {
  return sizes[static_cast<std::size_t>(ref.chunk)][static_cast<std::size_t>(ref.sequence)];
}

RC_GTEST_PROP(LinearSequencerLaws, EverySweepHasEverySequenceInFileOrder, ()) {
  const Setup setup = made_up();
  const std::vector<SequenceRef> all = sequences_of(setup.sizes);
  std::vector<SequenceRef> expected;
  for (std::int64_t sweep = 0; sweep < *setup.options.sweeps; ++sweep) {
    expected.insert(expected.end(), all.begin(), all.end());
  }
  std::vector<SequenceRef> delivered;
  for (const Step& step : walk(sequencer_of(setup.sizes, setup.options), {}, kHuge)) {
    delivered.insert(delivered.end(), step.sequences.begin(), step.sequences.end());
  }
  RC_ASSERT(delivered == expected);
}

RC_GTEST_PROP(LinearSequencerLaws, AMinibatchIsAsLargeAsAllowed, ()) {
  const auto [sizes, options] = made_up();
  const std::vector<SequenceRef> all = sequences_of(sizes);
  for (const Step& step : walk(sequencer_of(sizes, options), {}, kHuge)) {
    std::int64_t samples = 0;
    for (const SequenceRef& ref : step.sequences) samples += size_of(sizes, ref);
    RC_ASSERT(step.sample_count == samples);
    RC_ASSERT(step.slices.empty());

    const auto count = std::ssize(step.sequences);
    const bool by_samples = options.unit == MinibatchUnit::samples;
    const std::int64_t size = by_samples ? samples : count;
    RC_ASSERT(count >= 1);
    RC_ASSERT(size <= options.minibatch_size || count == 1);

    const bool at_sweep_end = step.next.sequence == 0;
    if (step.ends_epoch || (at_sweep_end && (options.sweep_ends == SweepEnds::cut || size == 0)))
      continue;
    if (at_sweep_end && size >= options.minibatch_size) continue;
    const SequenceRef& following = all[static_cast<std::size_t>(step.next.sequence)];
    const std::int64_t more = by_samples ? size_of(sizes, following) : 1;
    RC_ASSERT(size + more > options.minibatch_size);
  }
}

RC_GTEST_PROP(LinearSequencerLaws, JumpingToAPlaceEqualsWalkingThere, ()) {
  const auto [sizes, options] = made_up();
  const std::vector<testing::WalkedStep> steps = walk(sequencer_of(sizes, options), {}, kHuge);
  std::vector<Place> places = {{}};
  for (const Step& step : steps) places.push_back(step.next);
  // One sequencer goes back and forth, and a fresh one starts at each place.
  const LinearSequencer order = sequencer_of(sizes, options);
  testing::Stepper jumping(order);
  for (int jump = 0; jump < 20; ++jump) {
    const auto i = *any_of<std::size_t>(0, places.size());
    const std::optional<Step> jumped = jumping.step(places[i]);
    const std::optional<Step> fresh = testing::step_of(sequencer_of(sizes, options), places[i]);
    RC_ASSERT(jumped.has_value() == (i < steps.size()));
    RC_ASSERT(fresh.has_value() == (i < steps.size()));
    if (!jumped) continue;
    RC_ASSERT(to_text(*jumped) == to_text(steps[i]));
    RC_ASSERT(to_text(*fresh) == to_text(steps[i]));
  }
}

RC_GTEST_PROP(LinearSequencerLaws, AnyPlaceCanBeAStart, ()) {
  const auto [sizes, options] = made_up();
  const std::vector<SequenceRef> all = sequences_of(sizes);
  const LinearSequencer sequencer = sequencer_of(sizes, options);
  Place place;
  for (const SequenceRef& ref : all) {
    const std::optional<Step> step = testing::step_of(sequencer, place);
    RC_ASSERT(step.has_value());
    RC_ASSERT(step->sequences.front() == ref);
    ++place.sequence;
    place.sample += size_of(sizes, ref);
  }
}

RC_GTEST_PROP(LinearSequencerLaws, FlagsMatchTheSteps, ()) {
  const auto [sizes, options] = made_up();
  const std::vector<SequenceRef> all = sequences_of(sizes);
  const std::vector<testing::WalkedStep> steps = walk(sequencer_of(sizes, options), {}, kHuge);
  Place from;
  for (const Step& step : steps) {
    const bool has_last = std::ranges::find(step.sequences, all.back()) != step.sequences.end();
    RC_ASSERT(step.ends_sweep == has_last);
    RC_ASSERT(step.ends_epoch == (&step == &steps.back()));
    RC_ASSERT(step.next.sequence < std::ssize(all));
    RC_ASSERT(step.next.carry.empty());
    RC_ASSERT((step.next.sweep > from.sweep) == step.ends_sweep);
    if (options.sweep_ends == SweepEnds::cut && step.ends_sweep) RC_ASSERT(step.next.sequence == 0);
    std::int64_t samples = 0;
    for (std::int64_t i = 0; i < step.next.sequence; ++i) {
      samples += size_of(sizes, all[static_cast<std::size_t>(i)]);
    }
    RC_ASSERT(step.next.sample == samples);
    from = step.next;
  }
}

RC_GTEST_PROP(LinearSequencerLaws, AChunkIsHeldFromItsFirstUseToItsRelease, ()) {
  const auto [sizes, options] = made_up();
  std::vector<ChunkIndex> held;
  for (const Step& step : walk(sequencer_of(sizes, options), {}, kHuge)) {
    for (const SequenceRef& ref : step.sequences) {
      if (std::ranges::find(held, ref.chunk) == held.end()) held.push_back(ref.chunk);
    }
    for (const ChunkRange& range : step.passed) {
      RC_ASSERT(range == ChunkRange{range.chunk});
      RC_ASSERT(std::erase(held, range.chunk) == 1U);  // held, and released once
    }
    // Only the chunk in which the next step begins may stay.
    RC_ASSERT(held.size() <= 1U);
    if (step.ends_epoch) RC_ASSERT(held.empty());
  }
  RC_ASSERT(held.empty());
}

}  // namespace
}  // namespace sheaf
