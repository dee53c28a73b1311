#include "sequencer/mixture/mixed_data.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "sequencer/made_up_counts.h"

namespace sheaf::internal {
namespace {

using sheaf::testing::MadeUpCounts;

// Two members of 300 chunks each.
MadeUpCounts chunks_of_two_members() {
  MadeUpCounts counts({});
  for (int i = 0; i < 600; ++i) counts.add_chunk(10, 2);
  counts.set_mixture(
      {.options = {.weights = {3, 1}, .exhausted = Exhausted::repeat, .schedule = {}},
       .names = {"a", "b"}},
      {300, 600});
  return counts;
}

TEST(MixedData, EachMemberHasItsChunksAndItsPartOfTheWindow) {
  const MadeUpCounts counts = chunks_of_two_members();
  OrderOptions options{.algorithm = OrderAlgorithm::keyed, .window_chunks = 60};
  const MixedData data(counts, options);
  EXPECT_EQ(data.member_count(), 2);
  EXPECT_EQ(data.draws().sizes(), (std::vector<std::int64_t>{3000, 3000}));
  EXPECT_EQ(data.member(0).keyed.laps, 7);  // 300 chunks in windows of 45
  EXPECT_EQ(data.member(1).keyed.laps, 20);
  EXPECT_EQ(data.member(1).counts.outer(ChunkIndex{2}), ChunkIndex{302});
  EXPECT_NE(data.member(0).seed, data.member(1).seed);
  options.window_chunks = 1;
  EXPECT_EQ(MixedData(counts, options).member(1).keyed.laps, 93);  // each lap has 32 units
  options.window_chunks = kAll;
  EXPECT_EQ(MixedData(counts, options).member(1).keyed.laps, 1);
  options.window_chunks = {};
  options.window_samples = 4000;
  EXPECT_EQ(MixedData(counts, options).member(0).keyed.laps, 1);
  EXPECT_EQ(MixedData(counts, options).member(1).keyed.laps, 3);
}

TEST(MixedData, FileOrderNeedsNoWindow) {
  const MadeUpCounts counts = chunks_of_two_members();
  const MixedData data(counts, {});
  EXPECT_EQ(data.member(0).keyed.laps, 1);
  EXPECT_EQ(data.member(0).chunk_starts.back(), 3000);
}

}  // namespace
}  // namespace sheaf::internal
