#include "sequencer/unit_map.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sheaf/error.h"

#include "sequencer/made_up_counts.h"
#include "sequencer/made_up_options.h"

namespace sheaf::internal {
namespace {

using testing::any_of;
using testing::MadeUpCounts;

RC_GTEST_PROP(UnitMapLaws, UnitsAreConsecutiveAndNestInChunkUnits, ()) {
  MadeUpCounts counts(testing::Sizes{});
  struct Made {
    std::int64_t size;
    std::int64_t units;
  };
  std::vector<Made> made;
  const auto chunk_count = *any_of<std::int64_t>(1, 200);
  const std::int64_t units_min = *any_of<int>(0, 2) == 1 ? UnitMap::kPartsMin : 1;
  for (std::int64_t i = 0; i < chunk_count; ++i) {
    const auto size = *any_of<std::int64_t>(0, 400);
    made.push_back({size, size == 0 ? 1 : *any_of<std::int64_t>(1, size + 1)});
    counts.add_chunk(size, made.back().units);
  }
  const UnitMap map(counts, units_min);
  RC_ASSERT(map.chunk_count() == chunk_count);
  std::int64_t unit = 0;
  std::int64_t all = 0;
  for (std::int64_t chunk = 0; chunk < chunk_count; ++chunk) {
    const auto [size, units] = made[static_cast<std::size_t>(chunk)];
    std::vector<std::int64_t> firsts;
    for (std::int64_t next = 0; next < size; ++unit) {
      const ChunkRange range = map.unit(unit);
      RC_ASSERT(range.chunk == ChunkIndex{chunk});
      RC_ASSERT(range.first == next);
      RC_ASSERT(range.count > 0);
      firsts.push_back(range.first);
      next += range.count;
    }
    all += size;
    // Unless the units of the map are single sequences, every unit of the chunk begins where one of
    // the map begins.
    if (std::ssize(firsts) == size) continue;
    for (std::int64_t j = 0; j < units; ++j) {
      RC_ASSERT(std::ranges::count(firsts, j * size / units) == 1);
    }
  }
  RC_ASSERT(unit == map.unit_count());
  RC_ASSERT(all == map.sequence_count());
  RC_ASSERT(all == map.sample_count());
  if (units_min == 1) {
    for (const Made& each : made) unit -= each.size > 0 ? each.units : 0;
    RC_ASSERT(unit == 0);
    return;
  }
  RC_ASSERT(map.unit_count() == all || map.unit_count() >= UnitMap::kPartsMin ||
            map.unit_count() > all / 2);
}

TEST(UnitMap, SmallDataAreSplitIntoSingleSequences) {
  MadeUpCounts counts(testing::Sizes{});
  counts.add_chunk(1000, 2);
  EXPECT_EQ(UnitMap(counts).unit_count(), 1000);
  counts.add_chunk(100'000, 2);
  EXPECT_EQ(UnitMap(counts).unit_count(), 1000 + 2048);
}

TEST(UnitMap, LargeDataKeepTheirUnits) {
  MadeUpCounts counts(testing::Sizes{});
  for (int i = 0; i < 200; ++i) counts.add_chunk(1000, 32);
  const UnitMap map(counts);
  EXPECT_EQ(map.unit_count(), 6400);
  EXPECT_EQ(map.unit(33), (ChunkRange{ChunkIndex{1}, 31, 31}));
}

TEST(UnitMap, RefusesInvalidUnits) {
  MadeUpCounts counts(testing::Sizes{});
  counts.add_chunk(3, 4);
  EXPECT_THROW(UnitMap{counts}, InternalError);
}

TEST(UnitMap, EmptyDataHaveNoUnits) {
  const MadeUpCounts counts(testing::Sizes{});
  EXPECT_EQ(UnitMap(counts).unit_count(), 0);
  EXPECT_EQ(UnitMap(counts).sequence_count(), 0);
}

TEST(UnitMap, ChunksWithoutSequencesHaveNoUnits) {
  MadeUpCounts counts(testing::Sizes{});
  counts.add_chunk(0, 1);
  EXPECT_EQ(UnitMap(counts).unit_count(), 0);
  counts.add_chunk(2, 1);
  counts.add_chunk(0, 1);
  const UnitMap map(counts);
  EXPECT_EQ(map.chunk_count(), 3);
  ASSERT_EQ(map.unit_count(), 2);
  EXPECT_EQ(map.unit(1), (ChunkRange{ChunkIndex{1}, 1, 1}));
}

}  // namespace
}  // namespace sheaf::internal
