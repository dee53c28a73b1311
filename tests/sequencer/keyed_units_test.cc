#include "sequencer/keyed_units.h"

#include <cstdint>
#include <memory>

#include <gtest/gtest.h>

#include "sheaf/extend/sequencer.h"

#include "sequencer/made_up_counts.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::MadeUpCounts;

MadeUpCounts counts_of(std::int64_t chunks, std::int64_t units) {
  MadeUpCounts counts({});
  for (std::int64_t i = 0; i < chunks; ++i) counts.add_chunk(1000, units);
  return counts;
}

OrderOptions window_of(std::int64_t chunks) {
  return {.algorithm = OrderAlgorithm::keyed, .window_chunks = chunks};
}

TEST(KeyedUnits, ASweepHasAsManyLapsAsTheDataHaveWindows) {
  const MadeUpCounts counts = counts_of(20, 10);
  EXPECT_EQ(KeyedUnits(counts, window_of(20)).laps, 1);
  EXPECT_EQ(KeyedUnits(counts, window_of(21)).laps, 1);
  EXPECT_EQ(KeyedUnits(counts, window_of(19)).laps, 2);
  EXPECT_EQ(KeyedUnits(counts, window_of(10)).laps, 2);
  OrderOptions samples{.algorithm = OrderAlgorithm::keyed, .window_samples = 6666};
  EXPECT_EQ(KeyedUnits(counts, samples).laps, 4);
}

// If a lap had fewer units than ticks, some ticks would bring nothing in.
TEST(KeyedUnits, ALapHasEnoughUnits) {
  MadeUpCounts counts({});
  for (int i = 0; i < 200; ++i) counts.add_chunk(1, 1);
  EXPECT_EQ(KeyedUnits(counts, window_of(1)).laps, 200 / 32);
}

TEST(KeyedUnits, UndividedChunksMoveWhole) {
  MadeUpCounts counts = counts_of(100, 1);
  counts.parts_are_read = false;
  const KeyedUnits moving(counts, window_of(40));
  EXPECT_EQ(moving.laps, 3);
  EXPECT_EQ(moving.units.unit_count(), 100);
  const KeyedUnits resting(counts, window_of(100));
  EXPECT_EQ(resting.laps, 1);
  EXPECT_GT(resting.units.unit_count(), 100);
}

TEST(KeyedUnits, TheWindowHasAllOfAFewUndividedChunks) {
  MadeUpCounts counts = counts_of(KeyedUnits::kWholeChunksMax, 1);
  counts.parts_are_read = false;
  EXPECT_EQ(KeyedUnits(counts, window_of(1)).laps, 1);
  counts.add_chunk(1000, 1);
  EXPECT_EQ(KeyedUnits(counts, window_of(1)).laps, 2);
}

TEST(KeyedUnits, TheHintForReadersCountsAllOfAFewUndividedChunks) {
  const auto hint = [](bool reads_parts, OrderOptions options) {
    auto counts = std::make_shared<MadeUpCounts>(counts_of(2, 1));
    counts->parts_are_read = reads_parts;
    return KeyedSequencer(counts, options).window_chunks();
  };
  EXPECT_EQ(hint(true, window_of(4)), 4);
  EXPECT_EQ(hint(false, window_of(4)), KeyedUnits::kWholeChunksMax);
  EXPECT_EQ(hint(false, window_of(100)), 100);
  OrderOptions shared = window_of(4);
  shared.worker_count = 2;
  EXPECT_EQ(hint(false, shared), 1);
}

}  // namespace
}  // namespace sheaf::internal
