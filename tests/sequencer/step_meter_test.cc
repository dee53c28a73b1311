#include "sequencer/step_meter.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "sequencer/made_up_counts.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::MadeUpCounts;

const Population::Value kNoValue;
const StepMeter::ChunkBytes kNoBytes;

SequenceRef ref(std::int64_t chunk, std::int64_t sequence) { return {ChunkIndex{chunk}, sequence}; }

ChunkRange range(std::int64_t chunk, std::int64_t first = 0,
                 std::int64_t count = ChunkRange::kAll) {
  return {ChunkIndex{chunk}, first, count};
}

TEST(DataFacts, UnitsMatchTheCounts) {
  MadeUpCounts counts({{3, 4}});
  for (const std::int64_t sequences : {1, 7, 10, 100}) {
    for (std::int64_t units = 1; units <= sequences; ++units) counts.add_chunk(sequences, units);
  }
  const DataFacts data(counts, false);
  std::int64_t first_unit = 1;
  std::int64_t number = 2;
  for (std::int64_t i = 1; i < data.chunk_count(); ++i) {
    const ChunkCounts chunk = data.chunk(ChunkIndex{i});
    for (std::int64_t unit = 0; unit < chunk.unit_count; ++unit) {
      const std::int64_t end = (unit + 1) * chunk.sequence_count / chunk.unit_count;
      for (std::int64_t j = unit * chunk.sequence_count / chunk.unit_count; j < end; ++j) {
        ASSERT_EQ(data.unit(ref(i, j)), first_unit + unit);
        ASSERT_EQ(data.number_in_file(ref(i, j)), number++);
      }
    }
    first_unit += chunk.unit_count;
  }
  EXPECT_EQ(data.unit_count(), first_unit);
  EXPECT_EQ(data.sequence_count(), number);
}

TEST(DataFacts, CountSamplesOfARange) {
  const MadeUpCounts counts({{1, 2, 3, 4}, {9}});
  DataFacts data(counts, false);
  EXPECT_EQ(data.item_count(), 5);
  EXPECT_EQ(data.samples(range(0)), 10);
  EXPECT_EQ(data.samples(range(0, 2, 1)), 3);
  EXPECT_EQ(data.samples(range(0, 2, 2)), 5);  // about half of the chunk
  EXPECT_EQ(data.samples(range(0, 3, 9)), 3);  // cut off at the end: a quarter
  EXPECT_DOUBLE_EQ(data.share(range(0, 1, 1)), 0.25);
}

TEST(DataFacts, ItemsMayBeFrames) {
  const MadeUpCounts counts({{1, 2, 3, 4}});
  DataFacts data(counts, true);
  EXPECT_EQ(data.item_count(), 10);
  EXPECT_EQ(data.samples(range(0, 9, 1)), 1);
  EXPECT_EQ(data.samples(range(0, 2, 5)), 5);
  EXPECT_EQ(data.length(ref(0, 3)), 4);
}

TEST(DataFacts, DroppedTablesAreReadAgain) {
  const MadeUpCounts counts({{1, 2}, {3, 4}});
  DataFacts data(counts, false);
  EXPECT_EQ(data.length(ref(0, 1)), 2);
  for (int i = 0; i < 3000; ++i) data.tick();
  EXPECT_EQ(data.length(ref(0, 1)), 2);
  EXPECT_EQ(data.length(ref(1, 0)), 3);
}

TEST(Population, HasPositionsInTheFile) {
  const MadeUpCounts counts({{5, 5}, {5, 5, 5}});
  DataFacts data(counts, false);
  const Population numbers(data, kNoValue);
  EXPECT_DOUBLE_EQ(numbers.mean(), 2);
  EXPECT_DOUBLE_EQ(numbers.variance(), 2);
  EXPECT_DOUBLE_EQ(numbers.value(ref(1, 1)), 3);
}

TEST(Population, FramesHaveTheNumberOfTheirSequence) {
  const MadeUpCounts counts({{1}, {3, 0}});
  DataFacts data(counts, true);
  const Population frames(data, kNoValue);  // 0 1 1 1
  EXPECT_DOUBLE_EQ(frames.mean(), 0.75);
  EXPECT_DOUBLE_EQ(frames.variance(), 3.0 / 16);
}

TEST(Population, SequencesWithoutAValueAreIgnored) {
  const MadeUpCounts counts({{1, 1}, {1, 1}});
  DataFacts data(counts, false);
  const Population::Value value = [](ChunkIndex chunk, std::int64_t sequence) {
    const auto number = static_cast<double>(sequence);
    return chunk == ChunkIndex{0} ? 1e9 + number : std::numeric_limits<double>::quiet_NaN();
  };
  const Population values(data, value);
  EXPECT_DOUBLE_EQ(values.mean(), 1e9 + 0.5);
  EXPECT_DOUBLE_EQ(values.variance(), 0.25);
}

// Draws two of the samples 0 1 2 3 without replacement, in all ways. Their noise is 1 by
// definition.
TEST(Population, NoiseOfAFullShuffleIsOne) {
  const MadeUpCounts counts({{1, 1, 1, 1}});
  DataFacts data(counts, false);
  const Population numbers(data, kNoValue);
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < i; ++j) sum += *numbers.squared_noise(i + j, 2);
  }
  EXPECT_DOUBLE_EQ(sum / 6, 1);
  EXPECT_FALSE(numbers.squared_noise(6, 4).has_value());  // all samples
  EXPECT_FALSE(numbers.squared_noise(0, 0).has_value());
}

TEST(Population, EqualValuesHaveNoNoise) {
  const MadeUpCounts counts({{1, 1, 1, 1}});
  DataFacts data(counts, false);
  const Population::Value value = [](ChunkIndex, std::int64_t) { return 7.5; };
  EXPECT_FALSE(Population(data, value).squared_noise(15, 2).has_value());
}

TEST(StepMeter, CountsTheChunksOfAStep) {
  MadeUpCounts counts({{1, 2, 3}});
  counts.add_chunk(10, 5);
  DataFacts data(counts, false);
  const Population numbers(data, kNoValue);
  StepMeter meter(data, &numbers, kNoBytes);
  Step step{.sequences = {ref(0, 2), ref(1, 0), ref(1, 1), ref(1, 9), ref(0, 0)},
            .sample_count = 7};
  for (int i = 0; i < 2; ++i) {  // the second step equals the first
    const StepFacts facts = meter.look({.step = step});
    EXPECT_EQ(facts.sequences, 5);
    EXPECT_EQ(facts.samples, 7);
    EXPECT_EQ(facts.longest, 3);
    EXPECT_EQ(facts.chunks, 2);
    EXPECT_EQ(facts.units, 3);
    EXPECT_EQ(facts.value_count, 5);
    EXPECT_DOUBLE_EQ(facts.value_sum, 2 + 3 + 4 + 12 + 0);
  }
  step.slices = {{0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}};
  EXPECT_EQ(meter.look({.step = step}).longest, 1);
  EXPECT_EQ(meter.look({}).chunks, 0);
}

TEST(StepMeter, CountsLoadedRangesUntilTheirRelease) {
  const MadeUpCounts counts({{1, 2, 3, 4}, {9}});
  DataFacts data(counts, false);
  const StepMeter::ChunkBytes bytes = [](ChunkIndex chunk) {
    return chunk == ChunkIndex{0} ? 100.0 : 7.0;
  };
  StepMeter meter(data, nullptr, bytes);
  StepFacts facts = meter.look({.load = {range(0), range(1)}, .release = {range(1)}});
  EXPECT_EQ(facts.held_samples, 19);
  EXPECT_DOUBLE_EQ(facts.held_bytes, 107);
  facts = meter.look({.load = {range(0)}});  // the range is held already
  EXPECT_EQ(facts.held_samples, 10);
  facts = meter.look({.release = {range(0)}});
  EXPECT_EQ(facts.held_samples, 10);
  facts = meter.look({.load = {range(0, 0, 2), range(0, 2, 2)}});
  EXPECT_EQ(facts.held_samples, 10);
  EXPECT_DOUBLE_EQ(facts.held_bytes, 100);
  static_cast<void>(meter.look({.release = {range(0, 0, 2)}}));
  EXPECT_DOUBLE_EQ(meter.look({}).held_bytes, 50);
  static_cast<void>(meter.look({.release = {range(0), range(0, 2, 2)}}));
  EXPECT_EQ(meter.look({}).held_samples, 0);
  static_cast<void>(meter.look({.load = {range(1)}}));
  meter.begin();
  EXPECT_EQ(meter.look({}).held_samples, 0);
}

TEST(StepMeter, RangesOfOneStepAreForeign) {
  const MadeUpCounts counts({{1, 2, 3, 4}, {9}});
  DataFacts data(counts, false);
  StepMeter meter(data, nullptr, kNoBytes);
  StepFacts facts =
      meter.look({.load = {range(0, 0, 2), range(0, 3, 1)}, .release = {range(0, 3, 1)}});
  EXPECT_EQ(facts.foreign_sequences, 1);
  EXPECT_EQ(facts.foreign_samples, 4);
  EXPECT_EQ(facts.held_samples, 5 + 4);
  // The range was never loaded, as happens with pieces.
  EXPECT_EQ(meter.look({.release = {range(1, 0, 1)}}).foreign_samples, 9);
  // A whole chunk for one step, and one sequence of the worker's own data.
  facts = meter.look({.load = {range(1), range(0, 2, 1)}, .release = {range(1), range(0, 0, 2)}});
  EXPECT_EQ(facts.foreign_sequences, 0);
  EXPECT_EQ(meter.look({.release = {range(0, 2, 1)}}).foreign_sequences, 0);
}

}  // namespace
}  // namespace sheaf::internal
