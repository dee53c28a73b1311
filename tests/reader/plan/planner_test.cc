#include "reader/plan/planner.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "index/units.h"
#include "reader/run_all.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::fake;
using sheaf::testing::FakeData;
using sheaf::testing::FakeDeserializer;
using sheaf::testing::JumpingSequencer;
using sheaf::testing::small_data;
using sheaf::testing::WrittenSequencer;
using sheaf::testing::WrittenStep;

/// Returns the sequences of a plan, in order.
std::vector<SequenceRef> sequences_of(const StepPlan& plan) {
  std::vector<SequenceRef> sequences;
  for (const SequenceRun& run : plan.runs) {
    const UnitUse& use = plan.units[static_cast<std::size_t>(run.use)];
    for (std::int64_t i = run.first; i < run.first + run.count; ++i) {
      EXPECT_EQ(use.cut->unit_at(i), use.unit);
      EXPECT_LE(use.unit.first, i);
      EXPECT_LT(i, use.unit.end);
      sequences.push_back({use.cut->chunk(), i});
    }
  }
  return sequences;
}

void expect_same_plan(const FakeDeserializer& data, const Sequencer& sequencer) {
  const std::unique_ptr<Packer> packer = padded_packer();
  for (const std::int64_t steps_max : {1, 5}) {
    Planner planner(data, sequencer, *packer, {});
    OrderWalk walk(sequencer);
    while (const std::optional<StepPlan> plan = planner.next(steps_max)) {
      ASSERT_FALSE(plan->steps.empty());
      ASSERT_LE(std::ssize(plan->steps), steps_max);
      std::vector<SequenceRef> sequences;
      std::vector<SampleRange> slices;
      std::vector<ChunkRange> release;
      for (const StepEnd& end : plan->steps) {
        const std::optional<OrderWalk::Next> next = walk.next();
        ASSERT_TRUE(next);
        const Step* const step = &next->step;
        std::ranges::copy(step->sequences, std::back_inserter(sequences));
        std::ranges::copy(step->slices, std::back_inserter(slices));
        std::ranges::copy(next->release, std::back_inserter(release));
        EXPECT_EQ(end.sequence, std::ssize(sequences));
        EXPECT_EQ(end.ends_sweep, step->ends_sweep);
        EXPECT_EQ(end.ends_epoch, step->ends_epoch);
        EXPECT_EQ(end.next, step->next);
      }
      EXPECT_EQ(sequences_of(*plan), sequences);
      EXPECT_EQ(plan->slices, slices);
      EXPECT_EQ(plan->release, release);
    }
    EXPECT_FALSE(walk.next());
    EXPECT_FALSE(planner.next());
  }
}

TEST(Planner, FollowsTheSequencer) {
  const auto data = fake(small_data());
  const std::shared_ptr<const Counts> counts(data, &data->index());
  expect_same_plan(*data, LinearSequencer(counts, {.minibatch_size = 9, .sweeps = 2}));
  expect_same_plan(*data, JumpingSequencer(*counts, 2));
  expect_same_plan(*data, JumpingSequencer(*counts, 2, true));
  const OrderOptions random = {
      .minibatch_size = 9, .algorithm = OrderAlgorithm::cntk, .window_chunks = 3};
  expect_same_plan(*data, RandomSequencer(counts, random));
}

/// Returns the number of steps in each plan.
std::vector<std::int64_t> together(const Deserializer& data, const Sequencer& sequencer,
                                   std::int64_t limit_bytes = 0) {
  const std::unique_ptr<Packer> packer = padded_packer();
  Planner planner(data, sequencer, *packer, {}, Planner::kAnyBytes);
  planner.set_memory_limit(limit_bytes);
  std::vector<std::int64_t> counts;
  while (const std::optional<StepPlan> plan = planner.next(4)) {
    counts.push_back(std::ssize(plan->steps));
  }
  return counts;
}

using StepCounts = std::vector<std::int64_t>;

TEST(Planner, PlansSmallHeldStepsTogether) {
  constexpr ChunkIndex kChunk{0};
  FakeData data;
  data.sample_size_bytes = 1000;
  data.lengths.assign(2, std::vector<std::int64_t>(1200, 1));
  const auto small = fake(data);
  const WrittenStep plain = {.sequences = {{kChunk, 3}}};
  const WrittenStep loads = {.sequences = {{kChunk, 3}}, .load = {{ChunkIndex{1}}}};
  const WrittenStep releases = {.sequences = {{kChunk, 3}}, .release = {{ChunkIndex{1}}}};
  const WrittenStep first = {.sequences = {{kChunk, 3}}, .load = {{kChunk}}};
  EXPECT_EQ(together(*small, WrittenSequencer({first, plain, plain, plain, plain, plain})),
            (StepCounts{4, 2}));
  EXPECT_EQ(together(*small, WrittenSequencer({first, plain, loads, plain, releases, plain})),
            (StepCounts{2, 3, 1}))
      << "loads come first and releases last";

  const auto step_of = [](std::int64_t count) {
    WrittenStep step;
    for (std::int64_t i = 0; i < count; ++i) step.sequences.push_back({kChunk, i});
    return step;
  };
  const WrittenStep half = step_of(400);  // about half of what may be planned together
  EXPECT_EQ(together(*small, WrittenSequencer({first, half, half, half, half, half})),
            (StepCounts{3, 2, 1}));
  const WrittenStep large = step_of(1000);
  EXPECT_EQ(together(*small, WrittenSequencer({first, plain, large, plain, plain})),
            (StepCounts{2, 1, 2}));

  const WrittenStep other = {.sequences = {{ChunkIndex{1}, 3}}};  // the chunk is not held
  EXPECT_EQ(together(*small, WrittenSequencer({first, plain, other, plain, other})),
            (StepCounts{2, 3}))
      << "read units come first and stay for later steps";
}

// Steps that use hundreds of units together need larger tables than each of them alone.
TEST(Planner, StepsTogetherNeedNoMoreThanTheLimit) {
  constexpr ChunkIndex kChunk{0};
  constexpr std::int64_t kSteps = 100;
  FakeData data;
  data.sample_size_bytes = kUnitSizeBytes;
  data.lengths = {std::vector<std::int64_t>(4 * kSteps, 1)};
  const auto deserializer = fake(data);
  std::vector<WrittenStep> steps(kSteps);
  for (std::int64_t i = 0; i < 4 * kSteps; ++i) {
    steps[static_cast<std::size_t>(i / 4)].sequences.push_back({kChunk, i});
  }
  steps.front().load = {{kChunk}};
  const WrittenSequencer sequencer(steps);
  const std::unique_ptr<Packer> packer = padded_packer();
  const auto plans_of = [&](std::int64_t limit_bytes, std::int64_t steps_max) {
    Planner planner(*deserializer, sequencer, *packer, {});
    planner.set_memory_limit(limit_bytes);
    std::vector<StepPlan> plans;
    while (std::optional<StepPlan> plan = planner.next(steps_max)) {
      plans.push_back(*std::move(plan));
    }
    return plans;
  };
  std::int64_t enough_bytes = 0;
  for (const StepPlan& plan : plans_of(std::int64_t{1} << 40, 1)) {
    enough_bytes = std::max(enough_bytes, plan.needed_bytes);
  }
  for (std::int64_t more_bytes = 0; more_bytes < 1'200'000; more_bytes += 7919) {
    const std::int64_t limit_bytes = enough_bytes + more_bytes;
    for (const StepPlan& plan : plans_of(limit_bytes, 64)) {
      EXPECT_LE(plan.needed_bytes, limit_bytes) << plan.units.size() << " units";
    }
  }
}

// More chunks than the planner's cache of cuts holds.
TEST(Planner, APlanKeepsACutForNewUnitsAlone) {
  constexpr std::int64_t kChunks = 300;
  FakeData data;
  data.lengths.assign(kChunks, {1, 1});
  const auto deserializer = fake(data);
  WrittenStep step;
  for (std::int64_t i = 0; i < 10 * kChunks; ++i) {
    step.sequences.push_back({ChunkIndex{i % kChunks}, i % 2});
    if (i < kChunks) step.load.push_back({ChunkIndex{i}});
  }
  const WrittenSequencer sequencer({step});
  const std::unique_ptr<Packer> packer = padded_packer();
  Planner planner(*deserializer, sequencer, *packer, {});
  const std::optional<StepPlan> plan = planner.next();
  ASSERT_TRUE(plan);
  EXPECT_EQ(std::ssize(plan->units), kChunks);
  EXPECT_EQ(std::ssize(plan->cuts), kChunks);
}

// Finds the largest two steps that are planned together, and checks them against the bound.
TEST(Planner, StepsTogetherTakeUpToTheBound) {
  constexpr ChunkIndex kChunk{0};
  FakeData data;
  data.lengths = {std::vector<std::int64_t>(20'000, 1)};
  const auto deserializer = fake(data);
  const std::unique_ptr<Packer> packer = ragged_packer();
  const auto first_plan = [&](std::int64_t count) {
    std::vector<WrittenStep> steps(2);
    steps[0].load = {{kChunk}};
    for (std::int64_t i = 0; i < count; ++i) {
      steps[0].sequences.push_back({kChunk, i});
      steps[1].sequences.push_back({kChunk, i});
    }
    const WrittenSequencer sequencer(steps);
    Planner planner(*deserializer, sequencer, *packer, {});
    return *planner.next(2);
  };
  std::int64_t most = 1;  // sequences of each step
  for (std::int64_t more = 8192; more > 0; more /= 2) {
    if (first_plan(most + more).steps.size() == 2) most += more;
  }
  for (const std::int64_t count : {most - 1, most}) {
    const StepPlan plan = first_plan(count);
    EXPECT_EQ(plan.steps.size(), 2U);
    EXPECT_LE(plan.packed_bytes, Planner::kTogetherBytes);
  }
  const StepPlan alone = first_plan(most + 1);
  EXPECT_EQ(alone.steps.size(), 1U);
  EXPECT_GT(2 * alone.packed_bytes, Planner::kTogetherBytes);
}

TEST(Planner, NarrowsUnitsOfLaterSteps) {
  FakeData data;
  data.lengths = {{1, 1}, {1, 1}};
  const auto deserializer = fake(data);
  constexpr ChunkIndex kHeld{0};
  constexpr ChunkIndex kLoose{1};
  const std::vector<WrittenStep> steps = {{.sequences = {{kHeld, 0}}, .load = {{kHeld}}},
                                          {.sequences = {{kLoose, 0}}},
                                          {.sequences = {{kHeld, 1}}, .release = {{kHeld}}}};
  const WrittenSequencer sequencer(steps);
  const std::unique_ptr<Packer> packer = ragged_packer();
  for (const bool has_limit : {false, true}) {
    Planner planner(*deserializer, sequencer, *packer, {});
    if (has_limit) planner.set_memory_limit(1 << 30);
    const auto form = [&] { return planner.next()->units.at(0).form; };
    EXPECT_EQ(form(), has_limit ? UnitForm::as_read : UnitForm::narrow)
        << "with a limit, a step that takes half of the window";
    EXPECT_EQ(form(), UnitForm::as_read) << "nothing holds the unit";
    EXPECT_EQ(form(), UnitForm::as_read) << "no later step needs the unit";
  }
}

/// Returns the form of the unit of the first step, and the plan. The step takes the first
/// `step_count` of a hundred held sequences.
std::pair<UnitForm, StepPlan> first_form(std::int64_t limit_bytes, std::int64_t step_count = 1) {
  FakeData data;
  data.sample_size_bytes = 1000;
  data.lengths.assign(1, std::vector<std::int64_t>(100, 1));
  const auto deserializer = fake(data);
  constexpr ChunkIndex kHeld{0};
  WrittenStep first = {.load = {{kHeld}}};
  for (std::int64_t i = 0; i < step_count; ++i) first.sequences.push_back({kHeld, i});
  const WrittenSequencer sequencer({first, {.sequences = {{kHeld, 99}}, .release = {{kHeld}}}});
  const std::unique_ptr<Packer> packer = ragged_packer();
  Planner planner(*deserializer, sequencer, *packer, {});
  planner.set_memory_limit(limit_bytes);
  StepPlan plan = planner.next().value();
  return {plan.units.at(0).form, std::move(plan)};
}

TEST(Planner, NarrowsUnitsIfTheLimitAllows) {
  const auto [form, plan] = first_form(1 << 30);
  EXPECT_EQ(form, UnitForm::narrow);
  const UnitUse& unit = plan.units[0];
  EXPECT_EQ(unit.narrow_copy_bytes(), 100 * FakeDeserializer::kSampleBytesMax / 4 * 3);
  EXPECT_EQ(unit.reading_bytes(), unit.narrow_copy_bytes());
  EXPECT_EQ(plan.wide_bytes, FakeDeserializer::kSampleBytesMax);
  const std::int64_t room = plan.needed_bytes + plan.wide_bytes + 8 * unit.narrow_copy_bytes();
  EXPECT_EQ(first_form(room).first, UnitForm::narrow);
  EXPECT_EQ(first_form(room - 1).first, UnitForm::as_read);
}

TEST(Planner, KeepsHeavilyUsedUnitsUnnarrowed) {
  EXPECT_EQ(first_form(1 << 30, 12).first, UnitForm::narrow);
  EXPECT_EQ(first_form(1 << 30, 13).first, UnitForm::as_read) << "more than an eighth";
  EXPECT_EQ(first_form(0, 13).first, UnitForm::narrow) << "without a limit, memory does not count";
}

TEST(Planner, PlansTogetherWithinTheLimit) {
  constexpr ChunkIndex kChunk{0};
  FakeData data;
  data.sample_size_bytes = 1000;
  data.lengths.assign(1, std::vector<std::int64_t>(100, 1));
  const auto small = fake(data);
  const WrittenSequencer sequencer({{.sequences = {{kChunk, 3}}, .load = {{kChunk}}},
                                    {.sequences = {{kChunk, 4}}},
                                    {.sequences = {{kChunk, 5}}}});
  const std::unique_ptr<Packer> packer = padded_packer();
  const std::int64_t needed_by_one =
      Planner(*small, sequencer, *packer, {}, Planner::kAnyBytes).next()->needed_bytes;
  const std::int64_t needed_by_two =
      Planner(*small, sequencer, *packer, {}, Planner::kAnyBytes).next(2)->needed_bytes;
  ASSERT_GT(needed_by_two, needed_by_one);
  EXPECT_EQ(together(*small, sequencer, needed_by_one - 1), (StepCounts{1, 1, 1}));
  EXPECT_EQ(together(*small, sequencer, needed_by_two - 1), (StepCounts{1, 1, 1}));
  EXPECT_EQ(together(*small, sequencer, needed_by_two), (StepCounts{2, 1}));
}

TEST(Planner, APlanningErrorWaitsForEarlierSteps) {
  constexpr ChunkIndex kChunk{0};
  FakeData data;
  data.sample_size_bytes = 1000;
  data.lengths.assign(1, std::vector<std::int64_t>(10, 1));
  const auto small = fake(data);
  const WrittenSequencer sequencer({{.sequences = {{kChunk, 3}}, .load = {{kChunk}}},
                                    {.sequences = {{kChunk, 4}, {kChunk, 9}}},
                                    {.sequences = {{kChunk, 5}, {kChunk, 10}}}});
  const std::unique_ptr<Packer> packer = padded_packer();
  Planner planner(*small, sequencer, *packer, {});
  const std::optional<StepPlan> plan = planner.next(4);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->steps.size(), 2U);
  EXPECT_EQ(sequences_of(*plan), (std::vector<SequenceRef>{{kChunk, 3}, {kChunk, 4}, {kChunk, 9}}));
  EXPECT_THROW(static_cast<void>(planner.next(4)), InternalError);
  EXPECT_THROW(static_cast<void>(planner.next(4)), InternalError);
}

/// Returns the memory that all steps are expected to take when packed.
std::int64_t packed_bytes(const Deserializer& data, const Sequencer& sequencer,
                          std::int64_t steps_max, std::int64_t large_units_bytes) {
  const std::unique_ptr<Packer> packer = ragged_packer();
  Planner planner(data, sequencer, *packer, {}, large_units_bytes);
  std::int64_t bytes = 0;
  while (const std::optional<StepPlan> plan = planner.next(steps_max)) bytes += plan->packed_bytes;
  return bytes;
}

TEST(Planner, StepsPlannedTogetherTakeTheSameMemory) {
  // One chunk has several lengths; with the large samples, chunks have several units.
  FakeData data;
  data.lengths = {{1, 1, 1, 1, 1, 1, 1, 1}, {3, 3, 3, 3, 3, 3, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8}};
  for (const std::int64_t sample_size : {1000, 1'000'000}) {
    data.sample_size_bytes = sample_size;
    const auto deserializer = fake(data);
    std::vector<WrittenStep> steps(1);
    steps[0].load = {{ChunkIndex{0}}, {ChunkIndex{1}}, {ChunkIndex{2}}};
    for (std::int64_t i = 0; i < 200; ++i) {
      const SequenceRef ref{ChunkIndex{i * 7 % 3}, i * 5 % 8};
      steps.back().sequences.push_back(ref);
      if (ref.sequence < 7) steps.back().sequences.push_back({ref.chunk, ref.sequence + 1});
      if (i % 4 == 3) steps.emplace_back();
    }
    steps.pop_back();
    const WrittenSequencer sequencer(steps);
    for (const std::int64_t large : {std::int64_t{0}, Planner::kAnyBytes}) {
      const std::int64_t expected = packed_bytes(*deserializer, sequencer, 1, large);
      for (const std::int64_t steps_max : {2, 3, 50}) {
        EXPECT_EQ(packed_bytes(*deserializer, sequencer, steps_max, large), expected);
      }
    }
    // Sequences of the same length take the same memory in every chunk. Longer sequences take more.
    const auto bytes_of = [&](const std::vector<SequenceRef>& sequences) {
      return packed_bytes(*deserializer, WrittenSequencer({{.sequences = sequences}}), 1, 0);
    };
    const std::int64_t sample = FakeDeserializer::kSampleBytesMax;
    EXPECT_EQ(bytes_of({{ChunkIndex{0}, 5}}), bytes_of({{ChunkIndex{2}, 0}}));
    EXPECT_EQ(bytes_of({{ChunkIndex{1}, 5}}), bytes_of({{ChunkIndex{2}, 2}}));
    EXPECT_GT(bytes_of({{ChunkIndex{2}, 7}}), bytes_of({{ChunkIndex{2}, 2}}) + 5 * sample);
  }
}

/// Two chunks of 12 sequences, in four units of three.
class RangesTest : public ::testing::Test {
 protected:
  static constexpr ChunkIndex kA{0};
  static constexpr ChunkIndex kB{1};

  RangesTest() {
    FakeData data;
    data.sample_size_bytes = kUnitSizeBytes / 3;
    data.lengths.assign(2, std::vector<std::int64_t>(12, 1));
    data_ = fake(data);
  }

  std::vector<StepPlan> plans_of(const std::vector<WrittenStep>& steps) {
    const WrittenSequencer sequencer(steps);
    Planner planner(*data_, sequencer, *packer_, {});
    std::vector<StepPlan> plans;
    while (std::optional<StepPlan> plan = planner.next()) {
      plans.push_back(*std::move(plan));
      index_bytes_.push_back(planner.index_bytes());
    }
    return plans;
  }

  /// Returns "0:3-6 held last" and the like: the reads of a step, unit by unit.
  static std::vector<std::string> units_of(const StepPlan& plan) {
    std::vector<std::string> units;
    for (const UnitUse& use : plan.units) {
      std::string& text = units.emplace_back();
      text = std::to_string(static_cast<std::int64_t>(use.cut->chunk())) + ":" +
             std::to_string(use.first()) + "-" + std::to_string(use.first() + use.count());
      if (use.is_held) text += " held";
      if (use.is_last) text += " last";
    }
    return units;
  }

  using Texts = std::vector<std::string>;

  std::shared_ptr<const FakeDeserializer> data_;
  std::unique_ptr<Packer> packer_ = padded_packer();
  std::vector<std::int64_t> index_bytes_;
};

TEST_F(RangesTest, OtherSequencesUseTheUnitsOfTheirChunk) {
  const std::vector<StepPlan> plans =
      plans_of({{.sequences = {{kA, 4}, {kA, 2}, {kA, 3}}},
                {.sequences = {{kA, 4}, {kB, 11}}, .release = {{kA}}}});
  EXPECT_EQ(units_of(plans[0]), Texts({"0:3-6", "0:0-3"}));
  EXPECT_EQ(units_of(plans[1]), Texts({"0:3-6 last", "1:9-12"}));
  EXPECT_EQ(plans[1].window_ranges, 0);
}

TEST_F(RangesTest, HeldSequencesUseTheUnitsOfTheirRange) {
  const std::vector<StepPlan> plans = plans_of({
      {.sequences = {{kA, 4}, {kB, 5}, {kB, 3}, {kB, 4}},
       .load = {{kA, 3, 3}, {kB, 4, 4}, {kB, 7, 2}, {kB, 0, 2}}},
      {.sequences = {{kA, 5}, {kB, 7}, {kB, 8}, {kB, 1}, {kB, 6}}},
  });
  EXPECT_EQ(units_of(plans[0]), Texts({"0:3-6 held", "1:4-6 held", "1:3-6"}));
  EXPECT_EQ(units_of(plans[1]), Texts({"0:3-6 held", "1:6-8 held", "1:7-9 held", "1:0-2 held"}));
  EXPECT_EQ(plans[0].runs.size(), 4U);
  EXPECT_EQ(plans[1].runs.size(), 5U);
}

TEST_F(RangesTest, NeighboursWithinAUnitFormARun) {
  const std::vector<StepPlan> plans =
      plans_of({{.sequences = {{kA, 1}, {kA, 2}, {kA, 3}, {kA, 4}}, .load = {{kA, 1, 6}}},
                {.sequences = {{kA, 9}, {kA, 10}, {kA, 11}}, .load = {{kA, 11, 1}}}});
  EXPECT_EQ(units_of(plans[0]), Texts({"0:1-3 held", "0:3-6 held"}));
  ASSERT_EQ(plans[0].runs.size(), 2U);
  EXPECT_EQ(plans[0].runs[1].count, 2);
  EXPECT_EQ(units_of(plans[1]), Texts({"0:9-12", "0:11-12 held"}));
  ASSERT_EQ(plans[1].runs.size(), 2U);
  EXPECT_EQ(plans[1].runs[0].count, 2);
}

TEST_F(RangesTest, ASequenceMayBeHeldForOneStepOnly) {
  const ChunkRange one{kB, 7, 1};
  const std::vector<StepPlan> plans = plans_of({
      {.sequences = {{kB, 7}}, .load = {one}, .release = {one}},
      {.sequences = {{kB, 7}}},
      {.sequences = {{kB, 7}}, .load = {one}},
      {.sequences = {{kB, 7}}, .release = {one}},
  });
  EXPECT_EQ(units_of(plans[0]), Texts({"1:7-8 held last"}));
  EXPECT_EQ(plans[0].window_bytes, 0);
  EXPECT_GT(plans[0].needed_bytes,
            plans[0].packed_bytes + Planner::kReadBufferBytes + FakeDeserializer::kSampleBytesMax);
  EXPECT_EQ(units_of(plans[1]), Texts({"1:6-9"}));
  EXPECT_EQ(units_of(plans[2]), Texts({"1:7-8 held"}));
  EXPECT_EQ(plans[2].window_bytes, plans[2].units[0].bytes());
  EXPECT_EQ(units_of(plans[3]), Texts({"1:7-8 held last"}));
  EXPECT_EQ(plans[3].window_bytes, 0);
}

TEST_F(RangesTest, ARangeIsReleasedByItsName) {
  const std::vector<StepPlan> plans =
      plans_of({{.sequences = {{kA, 0}, {kA, 7}, {kB, 1}},
                 .load = {{kA, 0, 3}, {kA, 6, 2}, {kA, 0, 2}, {kB, 0, 12}}},
                {.sequences = {{kA, 0}, {kA, 7}, {kB, 1}},
                 .release = {{kA}, {kA, 0, 2}, {kA, 6, 2}, {kB, 0, 12}}},
                {.sequences = {{kA, 0}, {kA, 7}, {kB, 1}}}});
  EXPECT_EQ(plans[0].window_ranges, 4);
  EXPECT_EQ(plans[0].window_chunks, 1) << "a range of all sequences is the chunk";
  EXPECT_EQ(plans[1].window_ranges, 1);
  EXPECT_EQ(units_of(plans[1]), Texts({"0:0-3 held", "0:6-8 held last", "1:0-3 held last"}));
  EXPECT_EQ(units_of(plans[2]), Texts({"0:0-3 held", "0:6-9", "1:0-3"}));
}

TEST_F(RangesTest, TheWindowTakesTheMemoryOfItsRanges) {
  constexpr std::int64_t kEach = FakeDeserializer::kSampleBytesMax;
  const std::vector<StepPlan> plans = plans_of({
      {.sequences = {{kB, 0}}, .load = {{kA, 3, 3}, {kB, 11, 1}}},
      {.sequences = {{kB, 0}}, .load = {{kA, 5, 4}, {kA, 3, 3}}},
      {.sequences = {{kB, 0}}, .release = {{kA, 3, 3}, {kB, 6, 3}}},
      {.sequences = {{kB, 0}}, .load = {{kB}}, .release = {{kA, 5, 4}}},
      {.sequences = {{kA, 5}, {kB, 0}}, .release = {{kB}, {kB, 11, 1}}},
  });
  const std::int64_t expected[] = {4, 8, 5, 13, 0};
  for (std::size_t i = 0; i < plans.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(plans[i].window_bytes, expected[i] * kEach);
    std::int64_t bytes =
        index_bytes_[i] + Planner::kReadBufferBytes + plans[i].packed_bytes + plans[i].window_bytes;
    if (i != 3) bytes += 3 * kEach;  // the unit of sequence 0
    if (i == 4) bytes += 3 * kEach;  // the unit of sequence 5
    EXPECT_EQ(plans[i].needed_bytes, bytes);
  }
}

TEST_F(RangesTest, LateReadsTakeNoMemoryInTheWindow) {
  const auto plans_of_both = [&](std::int64_t sample_size_bytes, bool is_fast, std::int64_t limit,
                                 std::vector<SampleRange> slices = {}) {
    FakeData data;
    data.sample_size_bytes = sample_size_bytes;
    data.has_fast_random_access = is_fast;
    data.lengths.assign(2, std::vector<std::int64_t>(12, 1));
    data_ = fake(data);
    const WrittenSequencer sequencer({{.sequences = {{kA, 4}, {kB, 11}, {kA, 5}},
                                       .slices = std::move(slices),
                                       .load = {{kA}, {kB, 8, 4}}}});
    Planner planner(*data_, sequencer, *packer_, {});
    planner.set_memory_limit(limit);
    return *planner.next();
  };
  constexpr std::int64_t kLate = Planner::kLateBytes;
  constexpr std::int64_t kWindow = 16 * FakeDeserializer::kSampleBytesMax;
  const StepPlan late = plans_of_both(kLate, true, 2 * kWindow - 1);
  EXPECT_EQ(units_of(late), Texts({"0:4-5", "1:11-12", "0:5-6"}));
  EXPECT_TRUE(late.reads_late);
  EXPECT_EQ(late.window_ranges, 2);
  EXPECT_LT(late.window_bytes, 4 * FakeDeserializer::kSampleBytesMax) << "rows of a part";
  const Texts held({"0:0-12 held", "1:8-12 held"});
  const StepPlan early = plans_of_both(kLate, true, 2 * kWindow);
  EXPECT_EQ(units_of(early), held) << "the window fits";
  EXPECT_FALSE(early.reads_late);
  EXPECT_GE(early.window_bytes, kWindow);
  EXPECT_EQ(units_of(plans_of_both(kLate - 1, true, 2 * kWindow - 1)), held) << "small sequences";
  EXPECT_EQ(units_of(plans_of_both(kLate, false, 2 * kWindow - 1)), held) << "slow access";
  EXPECT_EQ(units_of(plans_of_both(kLate, true, 0)), held) << "no limit";
  EXPECT_EQ(units_of(plans_of_both(kLate, true, 2 * kWindow - 1, {{0, 1}, {0, 1}, {0, 1}})), held)
      << "pieces of sequences";
}

// The longer range is preferred in each plan, also after a step that used the shorter range.
TEST_F(RangesTest, ASequenceOfTwoRangesAlwaysHasTheSameUnit) {
  const ChunkRange shorter{kA, 0, 4};
  const ChunkRange longer{kA, 3, 9};
  const auto range_of_shared = [](const StepPlan& plan) {
    return plan.units[static_cast<std::size_t>(plan.runs.back().use)].cut->range();
  };
  const std::vector<StepPlan> plans =
      plans_of({{.sequences = {{kA, 0}, {kA, 8}, {kA, 1}, {kA, 3}}, .load = {shorter, longer}},
                {.sequences = {{kA, 3}}},
                {.sequences = {{kA, 8}, {kA, 0}, {kA, 3}}, .release = {shorter, longer}}});
  for (const StepPlan& plan : plans) EXPECT_EQ(range_of_shared(plan), longer);
}

TEST_F(RangesTest, TablesOfPartlyHeldChunksAreReleased) {
  const auto users = [&](ChunkIndex chunk) {
    return data_->index().sequences(chunk).use_count() - 2;  // without the index and this function
  };
  const WrittenSequencer sequencer({
      {.sequences = {{kA, 4}, {kB, 4}}, .load = {{kA, 3, 3}, {kB}}},
      {.sequences = {{kA, 8}}},
      {.sequences = {{kB, 4}}, .release = {{kA, 3, 3}, {kB}}},
  });
  Planner planner(*data_, sequencer, *packer_, {});
  EXPECT_TRUE(planner.next());
  EXPECT_EQ(users(kA), 0);
  EXPECT_EQ(users(kB), 1);
  EXPECT_TRUE(planner.next());
  EXPECT_EQ(users(kA), 1) << "a sequence that is not held";
  EXPECT_TRUE(planner.next());
  EXPECT_EQ(users(kA), 0);
  EXPECT_EQ(users(kB), 0);
}

TEST_F(RangesTest, KeptIndexRowsCountAsMemory) {
  const ChunkRange range{kA, 3, 6};
  const std::vector<StepPlan> plans = plans_of({{.sequences = {{kB, 4}}, .load = {range}},
                                                {.sequences = {{kA, 4}}},
                                                {.sequences = {{kA, 4}}, .release = {range}}});
  EXPECT_EQ(plans[0].units[0].row_bytes(), 0) << "of a whole chunk";
  EXPECT_EQ(plans[0].window_bytes, 6 * FakeDeserializer::kSampleBytesMax);
  const std::int64_t row_bytes = plans[1].units[0].row_bytes();  // half of the range
  EXPECT_GT(row_bytes, 100);
  EXPECT_GE(plans[1].window_bytes, plans[0].window_bytes + 2 * row_bytes - 1);
  EXPECT_EQ(plans[2].window_bytes, 0);
  EXPECT_EQ(plans[2].needed_bytes, index_bytes_[2] + Planner::kReadBufferBytes +
                                       plans[2].packed_bytes + plans[2].units[0].bytes());
  EXPECT_EQ(index_bytes_[1], data_->index().memory_bytes() + Planner::kOwnBytesMin);
}

TEST(Planner, CountsTheKeptSizesOfUnits) {
  constexpr std::int64_t kUnits = 4000;
  FakeData data;
  data.sample_size_bytes = kUnitSizeBytes;
  data.lengths = {std::vector<std::int64_t>(kUnits, 1)};
  const auto deserializer = fake(data);
  WrittenStep all = {.load = {{ChunkIndex{0}}}};
  for (std::int64_t i = 0; i < kUnits; ++i) all.sequences.push_back({ChunkIndex{0}, i});
  const WrittenStep one = {.sequences = {{ChunkIndex{0}, 0}}};
  const WrittenSequencer sequencer({one, all, one});
  const std::unique_ptr<Packer> packer = ragged_packer();
  Planner planner(*deserializer, sequencer, *packer, {});
  std::vector<std::int64_t> own_bytes;
  while (const std::optional<StepPlan> plan = planner.next()) {
    const std::int64_t index_bytes = planner.index_bytes();
    own_bytes.push_back(index_bytes - deserializer->index().memory_bytes());
    std::int64_t bytes =
        index_bytes + Planner::kReadBufferBytes + plan->window_bytes + plan->packed_bytes;
    for (const UnitUse& use : plan->units) bytes += use.is_held ? 0 : use.bytes();
    EXPECT_EQ(plan->needed_bytes, bytes);
  }
  ASSERT_EQ(own_bytes.size(), 3U);
  EXPECT_EQ(own_bytes[0], Planner::kOwnBytesMin);
  EXPECT_GE(own_bytes[1], 24 * kUnits);
  EXPECT_LE(own_bytes[1], 128 * kUnits);
  EXPECT_EQ(own_bytes[2], own_bytes[1]) << "the memory is kept";
}

TEST_F(RangesTest, RangesOutsideTheIndexAreRefused) {
  const ChunkRange ranges[] = {{ChunkIndex{2}}, {kA, 12, 1}, {kA, -1, 3}, {kA, 3, 0}};
  for (const ChunkRange& range : ranges) {
    EXPECT_THROW(plans_of({{.sequences = {{kA, 0}}, .load = {range}}}), InternalError);
    EXPECT_THROW(plans_of({{.sequences = {{kA, 0}}, .release = {range}}}), InternalError);
  }
}

TEST(Planner, MergesNeighboursOfOneUnit) {
  FakeData data;
  data.sample_size_bytes = 1;
  data.lengths = {std::vector<std::int64_t>(1000, 1)};
  const auto deserializer = fake(data);
  const LinearSequencer sequencer({deserializer, &deserializer->index()}, {});
  const std::unique_ptr<Packer> packer = padded_packer();
  Planner planner(*deserializer, sequencer, *packer, {});
  const std::optional<StepPlan> plan = planner.next();
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->units.size(), 1U);
  ASSERT_EQ(plan->runs.size(), 1U);
  EXPECT_EQ(plan->runs[0].count, 256);
}

TEST(Planner, CountsTheRowsOfThePacking) {
  FakeData data;
  data.lengths = {{1, 1, 1, 97}};  // padded: 388 array rows for 100 samples; packed: 194
  const auto deserializer = fake(data);
  const LinearSequencer sequencer({deserializer, &deserializer->index()}, {});
  const auto bytes = [&](const Packer& packer) {
    return Planner(*deserializer, sequencer, packer, {}).next()->packed_bytes;
  };
  constexpr std::int64_t kRowBytes = FakeDeserializer::kSampleBytesMax;
  EXPECT_GT(bytes(*padded_packer()), 388 * kRowBytes);
  EXPECT_GT(bytes(*packed_packer()), 194 * kRowBytes);
  EXPECT_LT(bytes(*packed_packer()), 230 * kRowBytes);
  EXPECT_GT(bytes(*ragged_packer()), 100 * kRowBytes);
  EXPECT_LT(bytes(*ragged_packer()), 120 * kRowBytes);
  EXPECT_LT(bytes(*frames_packer()), 20 * kRowBytes);
  // One slot of 128 rows holds all samples. With 97 rows, two slots are needed.
  EXPECT_GT(bytes(*packed_packer(128)), 128 * kRowBytes);
  EXPECT_LT(bytes(*packed_packer(128)), 150 * kRowBytes);
  EXPECT_GT(bytes(*packed_packer(97)), 194 * kRowBytes);
  EXPECT_LT(bytes(*packed_packer(97)), 230 * kRowBytes);
}

/// Made-up data with a third stream of large samples, which has fewer samples than the index
/// counts.
class LabelledDeserializer final : public Deserializer {
 public:
  static constexpr std::int64_t kLabelBytes = 40'000;

  explicit LabelledDeserializer(FakeData data)
      : data_(std::move(data)), streams_(data_.streams().begin(), data_.streams().end()) {
    streams_.push_back({.name = "label", .sample_shape = {kLabelBytes / 4}});
  }
  [[nodiscard]] std::span<const Stream> streams() const noexcept override { return streams_; }
  [[nodiscard]] const Index& index() const noexcept override { return data_.index(); }
  [[nodiscard]] std::string fingerprint() const override { return data_.fingerprint(); }
  [[nodiscard]] Chunk read(const ChunkRange& range, Diagnostics& diagnostics) const override {
    return data_.read(range, diagnostics);
  }

 private:
  FakeDeserializer data_;
  std::vector<Stream> streams_;
};

TEST(Planner, CountsAWholeSlotOfFixedLength) {
  FakeData data;
  data.lengths = {{100, 28}};
  const auto deserializer = std::make_shared<const LabelledDeserializer>(std::move(data));
  const LinearSequencer sequencer({deserializer, &deserializer->index()}, {});
  const auto bytes = [&](const Packer& packer) {
    return Planner(*deserializer, sequencer, packer, {}).next()->packed_bytes;
  };
  EXPECT_GT(bytes(*packed_packer(128)), 128 * LabelledDeserializer::kLabelBytes);
  EXPECT_LT(bytes(*packed_packer(128)), 130 * LabelledDeserializer::kLabelBytes);
  EXPECT_LT(bytes(*packed_packer()), 220 * FakeDeserializer::kSampleBytesMax);
}

}  // namespace
}  // namespace sheaf::internal
