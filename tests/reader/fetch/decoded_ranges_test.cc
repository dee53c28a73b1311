#include "reader/fetch/decoded_ranges.h"

#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/chunk.h"
#include "sheaf/types.h"

#include "support/buffer_of.h"

namespace sheaf::internal {
namespace {

Chunk empty_chunk(std::int64_t sequences) {
  return {std::span<const Stream>(), sequences, std::vector<Column>()};
}

TEST(DecodedRanges, AreTakenOnce) {
  DecodedRanges decoded(10, {});
  const auto shared = decoded.keep(empty_chunk(5));
  decoded.add({ChunkIndex{0}, 0, 3}, decoded.keep(empty_chunk(3)), 0);
  decoded.add({ChunkIndex{0}, 3, 2}, shared, 0);
  decoded.add({ChunkIndex{1}, 0, 3}, shared, 2);
  decoded.add({ChunkIndex{1}, 3, 9}, nullptr, 0);
  decoded.end();
  EXPECT_EQ(decoded.chunk_count_max(), 10);
  EXPECT_EQ(*decoded.begins_of(ChunkIndex{0}), (std::vector<std::int64_t>{0, 3}));
  EXPECT_EQ(*decoded.begins_of(ChunkIndex{1}), (std::vector<std::int64_t>{0, 3}));
  EXPECT_EQ(decoded.begins_of(ChunkIndex{2}), nullptr);

  const std::vector<FoundRange> taken = decoded.take();
  ASSERT_EQ(taken.size(), 3) << "without the range that was not decoded";
  EXPECT_EQ(taken[2].range, (ChunkRange{ChunkIndex{1}, 0, 3}));
  EXPECT_EQ(taken[2].chunk, shared);
  EXPECT_EQ(taken[2].first, 2);
  EXPECT_TRUE(decoded.take().empty());
  EXPECT_EQ(*decoded.begins_of(ChunkIndex{1}), (std::vector<std::int64_t>{0, 3}))
      << "units begin where they did";
}

TEST(DecodedRanges, NarrowSuitableColumnsAndMoveOthers) {
  const std::vector<Stream> streams = {{.name = "x", .sample_shape = {1}}};
  DecodedRanges decoded(10, streams);
  for (const bool is_whole : {true, false}) {
    std::vector<float> numbers(1000);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = static_cast<float>(i) + (is_whole ? 0.F : 0.25F);
    }
    std::vector<Column> columns(1);
    columns[0].values = testing::buffer_of(numbers);
    decoded.add({ChunkIndex{0}, 0, 1000}, decoded.keep(Chunk(streams, 1000, std::move(columns))),
                0);
    decoded.end();
    const std::vector<FoundRange> taken = decoded.take();
    ASSERT_EQ(taken.size(), 1U);
    const HeldChunk& held = *taken[0].chunk;
    EXPECT_EQ(held.is_narrow(), is_whole);
    if (is_whole) continue;
    EXPECT_EQ(held.held_bytes(), 4000);
    float value = 0;
    std::memcpy(&value, held.rows().view(0, 999).values, sizeof(value));
    EXPECT_EQ(value, 999.25F);
  }
}

TEST(DecodedRanges, KnowTheMemoryOfUnitsUntilTheyAreDropped) {
  DecodedRanges decoded(10, {});
  decoded.add({ChunkIndex{4}, 0, 3}, decoded.keep(empty_chunk(3)), 0);
  EXPECT_EQ(decoded.held_bytes_of(ChunkIndex{4}), nullptr);
  decoded.set_held_bytes(ChunkIndex{4}, {77});
  decoded.set_reading_bytes(99);
  ASSERT_NE(decoded.held_bytes_of(ChunkIndex{4}), nullptr);
  EXPECT_EQ(*decoded.held_bytes_of(ChunkIndex{4}), (std::vector<std::int64_t>{77}));
  EXPECT_EQ(decoded.reading_bytes(), 99);
  decoded.clear();
  EXPECT_EQ(decoded.begins_of(ChunkIndex{4}), nullptr);
  EXPECT_EQ(decoded.held_bytes_of(ChunkIndex{4}), nullptr);
  EXPECT_EQ(decoded.reading_bytes(), 0);
  EXPECT_TRUE(decoded.take().empty());
}

TEST(DecodedRanges, MayBeEmpty) {
  DecodedRanges none(0, {});
  EXPECT_EQ(none.begins_of(ChunkIndex{0}), nullptr);
  EXPECT_TRUE(none.take().empty());
}

}  // namespace
}  // namespace sheaf::internal
