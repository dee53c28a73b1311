#include "index/chunk_notes.h"

#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

TEST(ChunkNotes, RoundTripAsNumbers) {
  const ChunkNotes notes{
      .streams = {{3, 4}, {5, 0}}, .unit_hashes = {~std::uint64_t{0}, 1}, .repeated = {7, 9}};
  const auto back = notes_from_numbers(to_numbers(notes));
  ASSERT_TRUE(back);
  ASSERT_EQ(back->streams.size(), 2U);
  EXPECT_EQ(back->streams[0].pair_count, 4);
  EXPECT_EQ(back->unit_hashes, notes.unit_hashes);
  EXPECT_EQ(back->repeated, notes.repeated);
}

TEST(ChunkNotes, OtherNumbersAreRefused) {
  ASSERT_TRUE(notes_from_numbers({0, 0, 0}));
  for (const std::vector<std::int64_t>& numbers :
       {std::vector<std::int64_t>{},
        {3, 1},
        {-1},
        {0, 0},
        {1, 5, 0, 0},
        {0, 0, 0, 0},
        {0, 0, 1},
        {0, std::numeric_limits<std::int64_t>::max(), 0}}) {
    EXPECT_FALSE(notes_from_numbers(numbers)) << ::testing::PrintToString(numbers);
  }
}

}  // namespace
}  // namespace sheaf::internal
