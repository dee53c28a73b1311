#include "reader/schedule.h"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "base/unit_size.h"
#include "index/units.h"
#include "reader/run_all.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kBuffer = Planner::kReadBufferBytes;

/// Plans steps of one sequence each. Every sequence is a unit.
class Plans {
 public:
  explicit Plans(std::int64_t count) {
    sheaf::testing::FakeData data;
    data.sample_size_bytes = kUnitSizeBytes;
    data.lengths = {std::vector<std::int64_t>(static_cast<std::size_t>(count), 1)};
    data_ = sheaf::testing::fake(data);
    sequencer_ = std::make_unique<LinearSequencer>(
        std::shared_ptr<const Counts>(data_, &data_->index()),
        OrderOptions{.minibatch_size = 1, .unit = MinibatchUnit::sequences});
    planner_.emplace(*data_, *sequencer_, *packer_, Place{});
  }

  StepPlan next() { return planner_->next().value(); }

 private:
  std::shared_ptr<const sheaf::testing::FakeDeserializer> data_;
  std::unique_ptr<Sequencer> sequencer_;
  std::unique_ptr<Packer> packer_ = padded_packer();
  std::optional<Planner> planner_;
};

std::int64_t take_all_reads(Schedule& schedule) {
  std::int64_t count = 0;
  while (schedule.take_read() != nullptr) ++count;
  return count;
}

/// Destroys dropped units, as the engine does without the lock. Returns whether there were any.
bool destroy_dropped(Schedule& schedule) {
  const std::vector<std::unique_ptr<Unit>> dropped = schedule.take_dropped();
  for (const auto& unit : dropped) schedule.note_destroyed(unit->memory.held_bytes());
  return !dropped.empty();
}

void advance(Schedule& schedule) {
  do {
    schedule.advance();
  } while (destroy_dropped(schedule));
}

/// Completes the front step, as tasks would.
void do_front(Schedule& schedule) {
  while (!schedule.front_is_known()) {
    advance(schedule);
    Unit* const unit = schedule.take_read();
    if (unit != nullptr) schedule.finish_read(*unit, 1000);
    WorkItem* const item = schedule.take_pack();
    if (item != nullptr) schedule.finish_pack(*item);
    ASSERT_TRUE(unit != nullptr || item != nullptr) << "nothing can be done";
  }
}

TEST(Schedule, RequestsUnitsInStepOrderUpToItsLimit) {
  Plans plans(100);
  Ledger ledger;
  Schedule schedule(ledger, 2);
  for (int i = 0; i < 50; ++i) schedule.append(plans.next(), 0);
  advance(schedule);
  EXPECT_EQ(schedule.ready_count(), 1 + 6);
  for (std::int64_t i = 0; i < 7; ++i) {
    Unit* const unit = schedule.take_read();
    ASSERT_NE(unit, nullptr);
    EXPECT_EQ(unit->first, i);
  }
  EXPECT_EQ(schedule.take_read(), nullptr);
}

TEST(Schedule, PacksAStepOnceItsUnitsAreRead) {
  Plans plans(3);
  Ledger ledger;
  Schedule schedule(ledger, 1);
  schedule.append(plans.next(), 0);
  schedule.append(plans.next(), 0);
  schedule.end();
  advance(schedule);
  Unit* const first = schedule.take_read();
  Unit* const second = schedule.take_read();
  EXPECT_EQ(schedule.take_pack(), nullptr);
  schedule.finish_read(*second, 1000);
  WorkItem* const later = schedule.take_pack();
  ASSERT_NE(later, nullptr);
  EXPECT_EQ(later->number, 1);
  schedule.finish_pack(*later);
  EXPECT_FALSE(schedule.front_is_known());
  schedule.finish_read(*first, 1000);
  schedule.finish_pack(*schedule.take_pack());
  ASSERT_TRUE(schedule.front_is_known());
  EXPECT_EQ(schedule.front()->number, 0);
  schedule.pop_front();
  EXPECT_EQ(schedule.front(), later);
  schedule.pop_front();
  ASSERT_TRUE(schedule.front_is_known());
  EXPECT_EQ(schedule.front(), nullptr);
}

// A step with less than two parts of work is left to packing. There are at most as many parts as
// sequences, and at most four for each thread.
TEST(Schedule, SplitsAStepByTheBytesOfTransforms) {
  struct Cut {
    std::int64_t made_bytes;
    std::int64_t sequences;
    std::int64_t parts;
  };
  constexpr std::int64_t kPart = Preparer::kPartBytes;
  constexpr std::int64_t kThreads = 3;
  for (const Cut& cut : {Cut{0, 100, 0}, Cut{2 * kPart - 1, 100, 0}, Cut{2 * kPart, 100, 2},
                         Cut{2 * kPart + 1, 100, 2}, Cut{3 * kPart - 1, 100, 2},
                         Cut{3 * kPart, 100, 3}, Cut{11 * kPart, 100, 11}, Cut{12 * kPart, 100, 12},
                         Cut{13 * kPart, 100, 12}, Cut{12 * kPart, 13, 12}, Cut{12 * kPart, 12, 12},
                         Cut{12 * kPart, 11, 11}, Cut{12 * kPart, 2, 2}, Cut{12 * kPart, 1, 0}}) {
    SCOPED_TRACE(std::to_string(cut.made_bytes) + " " + std::to_string(cut.sequences));
    Plans plans(1);
    Ledger ledger;
    Schedule schedule(ledger, kThreads);
    StepPlan plan = plans.next();
    plan.made_bytes = cut.made_bytes;
    plan.steps.back().sequence = cut.sequences;
    schedule.append(std::move(plan), 0);
    schedule.end();
    advance(schedule);
    schedule.finish_read(*schedule.take_read(), 1000);
    std::int64_t parts = 0;
    std::int64_t end = 0;
    for (auto found = schedule.take_preparation(); found.item != nullptr; ++parts) {
      EXPECT_EQ(schedule.take_pack(), nullptr);
      EXPECT_EQ(found.part->first, end);
      EXPECT_GT(found.part->count, 0);
      end += found.part->count;
      schedule.finish_preparation(*found.item);
      found = schedule.take_preparation();
    }
    EXPECT_EQ(parts, cut.parts);
    EXPECT_EQ(end, parts > 0 ? cut.sequences : 0);
    EXPECT_NE(schedule.take_pack(), nullptr);
  }
}

TEST(Schedule, TheFrontStepAlwaysFits) {
  Plans plans(20);
  const std::int64_t needed_bytes = plans.next().needed_bytes;
  for (const std::int64_t limit : {needed_bytes, needed_bytes + 1000, 3 * needed_bytes}) {
    Plans again(20);
    Ledger ledger(limit);
    Schedule schedule(ledger, 4);
    for (int i = 0; i < 20; ++i) schedule.append(again.next(), 0);
    for (int i = 0; i < 20; ++i) {
      do_front(schedule);
      EXPECT_EQ(schedule.front()->error, nullptr);
      schedule.pop_front();
    }
    EXPECT_LE(ledger.held_bytes_max(), limit);
  }
}

TEST(Schedule, TheFrontStepFitsDespiteLowEstimates) {
  Plans plans(4);
  StepPlan first = plans.next();
  const std::int64_t limit = first.needed_bytes;
  Ledger ledger(limit);
  Schedule schedule(ledger, 4);
  schedule.append(std::move(first), 0);
  schedule.append(plans.next(), 0);
  advance(schedule);
  EXPECT_EQ(take_all_reads(schedule), 1) << "the limit leaves room for one read";

  Plans other_plans(4);
  Ledger other_ledger(limit);
  Schedule other(other_ledger, 4);
  other.append(other_plans.next(), 0);
  other.append(other_plans.next(), 0);
  advance(other);
  other.finish_read(*other.take_read(), 100 * limit);
  advance(other);
  WorkItem* const item = other.take_pack();
  ASSERT_NE(item, nullptr);
  other.finish_pack(*item);
  other.pop_front();
  advance(other);
  EXPECT_NE(other.take_read(), nullptr);
}

TEST(Schedule, AStepAboveTheLimitEndsTheRunWithAnError) {
  Plans plans(4);
  StepPlan plan = plans.next();
  const std::int64_t needed_bytes = plan.needed_bytes;
  Ledger ledger(needed_bytes - 1);
  Schedule schedule(ledger, 4);
  schedule.append(std::move(plan), 0);
  EXPECT_FALSE(schedule.wants_plan(false));
  ASSERT_TRUE(schedule.front_is_known());
  try {
    std::rethrow_exception(schedule.front()->error);
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.what(), "memory_limit_bytes: " + std::to_string(needed_bytes - 1) +
                                " bytes are too few: this minibatch needs " +
                                std::to_string(needed_bytes) + " bytes; set the limit to " +
                                std::to_string(needed_bytes) +
                                " or more, or make minibatches smaller");
  }
}

/// Plans written steps over chunks of four sequences. Each sequence is a unit.
class WrittenPlans {
 public:
  explicit WrittenPlans(const std::vector<sheaf::testing::WrittenStep>& steps) : sequencer_(steps) {
    sheaf::testing::FakeData data;
    data.sample_size_bytes = kUnitSizeBytes;
    data.lengths.assign(3, {1, 1, 1, 1});
    data_ = sheaf::testing::fake(data);
    planner_.emplace(*data_, sequencer_, *packer_, Place{});
  }

  StepPlan next() { return planner_->next().value(); }

 private:
  std::shared_ptr<const sheaf::testing::FakeDeserializer> data_;
  sheaf::testing::WrittenSequencer sequencer_;
  std::unique_ptr<Packer> packer_ = padded_packer();
  std::optional<Planner> planner_;
};

constexpr ChunkIndex kReadChunk{0};
constexpr std::int64_t kSampleBytes = sheaf::testing::FakeDeserializer::kSampleBytesMax;

std::string error_of(StepPlan plan, std::int64_t limit_bytes) {
  Ledger ledger(limit_bytes);
  Schedule schedule(ledger, 1);
  schedule.append(std::move(plan), 0);
  try {
    std::rethrow_exception(schedule.front()->error);
  } catch (const ConfigError& error) {
    return error.what();
  }
}

TEST(Schedule, AWindowOfRangesAboveTheLimitNamesTheFittingShare) {
  const auto plan = [] {
    return WrittenPlans({{.sequences = {{kReadChunk, 0}},
                          .load = {{kReadChunk}, {ChunkIndex{1}, 0, 2}, {ChunkIndex{1}, 3, 1}}}})
        .next();
  };
  const std::int64_t needed = plan().needed_bytes;
  const std::int64_t window = 7 * kSampleBytes;
  EXPECT_EQ(plan().window_bytes, window);
  const auto text = [&](std::int64_t limit, const std::string& advice) {
    return "memory_limit_bytes: " + std::to_string(limit) +
           " bytes are too few for the window of this worker, which takes " +
           std::to_string(window) + " bytes: it needs " + std::to_string(needed) +
           " bytes; set the limit to " + std::to_string(needed) + " or more, or " + advice;
  };
  const std::int64_t half = needed - window / 2;
  EXPECT_EQ(error_of(plan(), half), text(half, "make the window at most 50 % of what it is"));
  EXPECT_EQ(error_of(plan(), needed - 1),
            text(needed - 1, "make the window at most 99 % of what it is"));
  const std::int64_t nothing = needed - window;
  EXPECT_EQ(error_of(plan(), nothing), text(nothing, "make the window and minibatches smaller"));
  EXPECT_EQ(error_of(plan(), 1), text(1, "make the window and minibatches smaller"));
}

TEST(Schedule, AWindowOfChunksAboveTheLimitNamesTheFittingNumber) {
  const auto plan = [] {
    return WrittenPlans({{.sequences = {{kReadChunk, 0}}, .load = {{kReadChunk}, {ChunkIndex{1}}}}})
        .next();
  };
  const std::string needed = std::to_string(plan().needed_bytes);
  const std::string limit = std::to_string(plan().needed_bytes - kSampleBytes);
  EXPECT_EQ(error_of(plan(), plan().needed_bytes - kSampleBytes),
            "memory_limit_bytes: " + limit +
                " bytes are too few for a window of 2 chunks of this worker: it needs " + needed +
                " bytes; set the limit to " + needed +
                " or more, or a window of at most 1 such chunks");
}

TEST(Schedule, HeldUnitsStayUntilReleased) {
  const ChunkRange first{kReadChunk, 0, 2};
  const ChunkRange second{kReadChunk, 2, 2};
  WrittenPlans plans({
      {.sequences = {{kReadChunk, 0}, {kReadChunk, 2}}, .load = {first, second}},
      {.sequences = {{kReadChunk, 0}, {kReadChunk, 2}}, .release = {second}},
      {.release = {first}},  // no sequence
      {.sequences = {{kReadChunk, 0}}},
  });
  Ledger ledger;
  Schedule schedule(ledger, 1);
  std::int64_t row_bytes = 0;                    // of one sequence
  const std::int64_t expected[] = {2, 1, 0, 1};  // units in memory
  const std::int64_t reads[] = {2, 0, 0, 1};
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    SCOPED_TRACE(i);
    StepPlan plan = plans.next();
    if (i == 0) row_bytes = plan.units[0].row_bytes();
    schedule.append(std::move(plan), 0);
    std::int64_t read_count = 0;
    while (!schedule.front_is_known()) {
      advance(schedule);
      while (Unit* const unit = schedule.take_read()) {
        schedule.finish_read(*unit, 1000);
        ++read_count;
      }
      if (WorkItem* const item = schedule.take_pack()) schedule.finish_pack(*item);
    }
    schedule.pop_front();
    destroy_dropped(schedule);
    EXPECT_EQ(read_count, reads[i]);
    // The unit of step 3 is a whole chunk, whose index entries belong to the index.
    EXPECT_EQ(ledger.held_bytes(), expected[i] * (1000 + (i == 3 ? 0 : row_bytes)));
  }
}

TEST(Schedule, ReleasedUnitsMakeRoomWithinAStep) {
  const ChunkRange first{kReadChunk, 0, 1};
  const ChunkRange second{kReadChunk, 1, 1};
  WrittenPlans plans({{.sequences = {{kReadChunk, 0}}, .load = {first}},
                      {.sequences = {{kReadChunk, 1}}, .load = {second}, .release = {first}}});
  Ledger ledger;
  Schedule schedule(ledger, 1);
  schedule.append(plans.next(), 0);
  do_front(schedule);
  schedule.pop_front();
  EXPECT_GE(ledger.held_bytes(), 1000);
  StepPlan plan = plans.next();
  const std::int64_t needed_bytes =
      plan.packed_bytes + plan.units[0].bytes() + plan.units[0].reading_bytes() + kBuffer;
  schedule.append(std::move(plan), 0);
  advance(schedule);
  EXPECT_EQ(ledger.held_bytes(), needed_bytes);
}

// While a slow thread still holds memory that it must give back, no other thread may take it.
TEST(Schedule, DroppedUnitsCountUntilDestroyed) {
  const ChunkRange first{kReadChunk, 0, 1};
  const ChunkRange second{kReadChunk, 1, 1};
  WrittenPlans plans({{.sequences = {{kReadChunk, 0}}, .load = {first}, .release = {first}},
                      {.sequences = {{kReadChunk, 1}}, .load = {second}, .release = {second}}});
  StepPlan plan = plans.next();
  Ledger ledger(plan.needed_bytes);
  Schedule schedule(ledger, 1);
  // The unit is larger than estimated, so there is no room for the next one.
  const std::int64_t unit_bytes = plan.units[0].bytes() + plan.packed_bytes;
  const std::int64_t index_bytes =
      plan.needed_bytes - plan.units[0].bytes() - plan.packed_bytes - kBuffer;
  schedule.append(std::move(plan), index_bytes);
  schedule.append(plans.next(), index_bytes);
  schedule.end();
  schedule.advance();
  schedule.finish_read(*schedule.take_read(), unit_bytes);
  schedule.finish_pack(*schedule.take_pack());
  schedule.pop_front();
  static_cast<void>(schedule.end_delivery());
  schedule.advance();
  EXPECT_EQ(schedule.take_read(), nullptr);
  EXPECT_GE(ledger.held_bytes(), index_bytes + unit_bytes);
  EXPECT_TRUE(destroy_dropped(schedule));
  EXPECT_EQ(ledger.held_bytes(), index_bytes);
  schedule.advance();
  EXPECT_NE(schedule.take_read(), nullptr);
}

/// Units of eight sequences, all of the same size in the imaginary file and decoded.
class SmallUnits : public ::testing::Test {
 protected:
  static constexpr std::int64_t kUnitSequences = 8;
  static constexpr std::int64_t kUnitBytes = kUnitSequences * kSampleBytes;

  SmallUnits() { set_unit_size_bytes(kUnitBytes); }
  ~SmallUnits() override { set_unit_size_bytes(kUnitSizeBytes); }

  /// Returns the plans of steps over a chunk of `unit_count` units, before any plan is appended.
  static std::vector<StepPlan> plans(std::int64_t unit_count,
                                     const std::vector<sheaf::testing::WrittenStep>& steps) {
    sheaf::testing::FakeData data;
    data.sample_size_bytes = kSampleBytes;
    data.lengths = {
        std::vector<std::int64_t>(static_cast<std::size_t>(unit_count * kUnitSequences), 1)};
    const auto deserializer = sheaf::testing::fake(data);
    const sheaf::testing::WrittenSequencer sequencer(steps);
    const std::unique_ptr<Packer> packer = padded_packer();
    Planner planner(*deserializer, sequencer, *packer, Place{});
    std::vector<StepPlan> plans;
    for (std::size_t i = 0; i < steps.size(); ++i) plans.push_back(planner.next().value());
    return plans;
  }
};

TEST_F(SmallUnits, TheFrontStepReadsEightUnitsWholeAndPartsOfOthers) {
  struct Reads {
    std::int64_t sequences_each;
    std::int64_t units;
    std::int64_t whole;
    std::int64_t parts;
  };
  // A part of a unit is read for one sequence of eight, but not for two.
  for (const Reads& reads : {Reads{1, 7, 7, 0}, Reads{1, 8, 8, 0}, Reads{1, 9, 8, 1},
                             Reads{1, 20, 8, 12}, Reads{2, 8, 8, 0}, Reads{2, 9, 9, 0}}) {
    SCOPED_TRACE(std::to_string(reads.units) + " " + std::to_string(reads.sequences_each));
    sheaf::testing::WrittenStep step{.sequences = {}, .load = {{kReadChunk}}};
    for (std::int64_t unit = 0; unit < reads.units; ++unit) {
      for (std::int64_t i = 0; i < reads.sequences_each; ++i) {
        step.sequences.push_back({kReadChunk, unit * kUnitSequences + i});
      }
    }
    std::vector<StepPlan> plan = plans(reads.units, {step});
    ASSERT_EQ(plan[0].units[0].bytes_to_read(), kUnitBytes);
    Ledger ledger;
    Schedule schedule(ledger, 1);
    schedule.append(std::move(plan[0]), 0);
    schedule.advance();
    std::int64_t whole = 0;
    std::int64_t parts = 0;
    while (Unit* const unit = schedule.take_read()) {
      ++(unit->use.is_part() ? parts : whole);
      EXPECT_EQ(unit->count, unit->use.is_part() ? 1 : kUnitSequences);
    }
    EXPECT_EQ(whole, reads.whole);
    EXPECT_EQ(parts, reads.parts);
  }
}

TEST_F(SmallUnits, LaterStepsReadUpToALimitOfUnitsAndBytes) {
  constexpr std::int64_t kPlenty = 4;  // reads ahead for one thread, each as large as a unit
  for (const std::int64_t range_sequences : {1, 2, 4, 7, 8}) {
    SCOPED_TRACE(range_sequences);
    sheaf::testing::WrittenStep front{.sequences = {{kReadChunk, 0}}, .load = {}};
    sheaf::testing::WrittenStep behind{.sequences = {}};
    constexpr std::int64_t kUnits = 10;
    for (std::int64_t unit = 0; unit < kUnits; ++unit) {
      for (std::int64_t i = 0; i + range_sequences <= kUnitSequences; i += range_sequences) {
        const std::int64_t first = unit * kUnitSequences + i;
        front.load.push_back({kReadChunk, first, range_sequences});
        if (first > 0) behind.sequences.push_back({kReadChunk, first});
      }
    }
    std::vector<StepPlan> plan = plans(kUnits, {front, behind});
    const std::int64_t bytes_each = plan[0].units[0].bytes_to_read();
    std::int64_t expected = kPlenty;
    while (expected * bytes_each < kPlenty * kUnitBytes) ++expected;
    Ledger ledger;
    Schedule schedule(ledger, 1);
    for (StepPlan& each : plan) schedule.append(std::move(each), 0);
    schedule.advance();
    EXPECT_EQ(take_all_reads(schedule), expected);
  }
}

TEST(Schedule, CountsIndexUnitsBuffersAndMinibatches) {
  Plans plans(4);
  Ledger ledger;
  Schedule schedule(ledger, 1);
  StepPlan plan = plans.next();
  const std::int64_t unit_bytes = plan.units[0].bytes();
  const std::int64_t packed_bytes = plan.packed_bytes;
  schedule.append(std::move(plan), 7);
  EXPECT_EQ(ledger.held_bytes(), 7);
  advance(schedule);
  EXPECT_EQ(ledger.held_bytes(), 7 + unit_bytes + kBuffer + packed_bytes);
  schedule.finish_read(*schedule.take_read(), 55);
  EXPECT_EQ(ledger.held_bytes(), 7 + 55 + packed_bytes);
  schedule.finish_pack(*schedule.take_pack());  // no minibatch, as after an error
  EXPECT_EQ(ledger.held_bytes(), 7 + 55);
  EXPECT_EQ(ledger.held_bytes_max(), 7 + unit_bytes + kBuffer + packed_bytes);
}

TEST(Schedule, ReservedMemoryIsNotInUse) {
  Plans plans(4);
  Ledger ledger;
  Schedule schedule(ledger, 1);
  schedule.append(plans.next(), 7);
  schedule.append(plans.next(), 7);
  advance(schedule);
  EXPECT_EQ(ledger.used_bytes(), 7);
  EXPECT_GT(ledger.held_bytes(), kBuffer);
  Unit* const unit = schedule.take_read();
  EXPECT_EQ(ledger.used_bytes(), 7 + kBuffer);
  schedule.finish_read(*unit, 55);
  EXPECT_EQ(ledger.used_bytes(), 7 + 55);
  schedule.finish_pack(*schedule.take_pack());
  EXPECT_EQ(ledger.used_bytes(), 7 + 55);
  EXPECT_EQ(ledger.used_bytes_max(), 7 + 55 + kBuffer) << "the buffer goes last";
}

TEST(Schedule, PlansAheadOfReading) {
  Plans plans(1000);
  Ledger ledger;
  Schedule schedule(ledger, 2);
  std::int64_t planned = 0;
  while (schedule.wants_plan(true)) {
    schedule.append(plans.next(), 0);
    ++planned;
  }
  EXPECT_EQ(planned, 64);
  advance(schedule);
  while (schedule.wants_plan(true)) {
    schedule.append(plans.next(), 0);
    ++planned;
  }
  EXPECT_EQ(planned, 64 + 7);  // one more for each requested read
  schedule.append_error(std::make_exception_ptr(std::runtime_error("no more")));
  EXPECT_FALSE(schedule.wants_plan(true));
}

TEST(Schedule, LimitsTheTablesOfPlannedSteps) {
  sheaf::testing::FakeData data;
  data.sample_size_bytes = 1;
  data.lengths.assign(30, {});
  for (std::vector<std::int64_t>& chunk : data.lengths) {
    for (std::int64_t i = 0; i < 1000; ++i) chunk.push_back(1 + i * 7919 % 10);
  }
  const auto deserializer = sheaf::testing::fake(data);
  const LinearSequencer sequencer({deserializer, &deserializer->index()},
                                  {.minibatch_size = 1000, .unit = MinibatchUnit::sequences});
  const std::unique_ptr<Packer> packer = padded_packer();
  const std::int64_t table_bytes = deserializer->index().sequences(ChunkIndex{0})->size_bytes();
  const auto planned = [&](std::int64_t limit_bytes) {
    Planner planner(*deserializer, sequencer, *packer, {});
    Ledger ledger(limit_bytes);
    Schedule schedule(ledger, 2);
    std::int64_t count = 0;
    std::optional<StepPlan> plan;
    while (schedule.wants_plan(true) && (plan = planner.next())) {
      EXPECT_EQ(plan->table_bytes, table_bytes) << "each step has a chunk of its own";
      plan->needed_bytes = 0;  // the limit is small
      schedule.append(*std::move(plan), 0);
      ++count;
    }
    return count;
  };
  EXPECT_EQ(planned(0), 30) << "as many as there are";
  EXPECT_EQ(planned(8 * 10 * table_bytes - 8), 10);
  EXPECT_EQ(planned(8 * 10 * table_bytes), 11) << "the plan that passes the bound is the last";
  EXPECT_EQ(planned(1), 2) << "two steps are planned whatever their tables take";
}

TEST(Schedule, TablesOfDeliveredStepsAreNotCounted) {
  Plans plans(100);
  Ledger ledger(20 * kBuffer);
  Schedule schedule(ledger, 1);
  StepPlan first = plans.next();
  first.table_bytes = 20 * kBuffer;
  schedule.append(std::move(first), 0);
  schedule.append(plans.next(), 0);
  EXPECT_FALSE(schedule.wants_plan(true));
  do_front(schedule);
  schedule.pop_front();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(schedule.wants_plan(true));
    schedule.append(plans.next(), 0);
  }
}

TEST(Schedule, LimitsTheNumberOfPlannedSmallSteps) {
  sheaf::testing::FakeData data;
  data.sample_size_bytes = 1;
  data.lengths = {std::vector<std::int64_t>(10'000, 1)};
  const auto deserializer = sheaf::testing::fake(data);
  const LinearSequencer sequencer({deserializer, &deserializer->index()}, {.minibatch_size = 1});
  const std::unique_ptr<Packer> packer = padded_packer();
  Planner planner(*deserializer, sequencer, *packer, {});
  Ledger ledger;
  Schedule schedule(ledger, 2);
  std::int64_t planned = 0;
  while (schedule.wants_plan(true)) {
    schedule.append(planner.next().value(), 0);
    ++planned;
  }
  EXPECT_EQ(planned, 8192);
  EXPECT_FALSE(schedule.wants_plan(false)) << "it starts again when a quarter is used up";
}

}  // namespace
}  // namespace sheaf::internal
