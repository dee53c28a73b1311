#include "reader/fetch/decoded_ranges.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/chunk.h"
#include "sheaf/types.h"

namespace sheaf::internal {
namespace {

std::shared_ptr<const Chunk> empty_chunk(std::int64_t sequences) {
  return std::make_shared<const Chunk>(std::span<const Stream>(), sequences, std::vector<Column>());
}

TEST(DecodedRanges, AreHandedOverOnce) {
  const auto shared = empty_chunk(5);
  DecodedRanges decoded(10);
  decoded.add({ChunkIndex{0}, 0, 3}, empty_chunk(3), 0);
  decoded.add({ChunkIndex{0}, 3, 2}, shared, 0);
  decoded.add({ChunkIndex{1}, 0, 3}, shared, 2);
  decoded.add({ChunkIndex{1}, 3, 9}, nullptr, 0);
  EXPECT_EQ(decoded.chunk_count_max(), 10);
  EXPECT_EQ(*decoded.begins_of(ChunkIndex{0}), (std::vector<std::int64_t>{0, 3}));
  EXPECT_EQ(*decoded.begins_of(ChunkIndex{1}), (std::vector<std::int64_t>{0, 3}));
  EXPECT_EQ(decoded.begins_of(ChunkIndex{2}), nullptr);

  const std::vector<DecodedRange> taken = decoded.take();
  ASSERT_EQ(taken.size(), 3) << "without the range that was not decoded";
  EXPECT_EQ(taken[2].range, (ChunkRange{ChunkIndex{1}, 0, 3}));
  EXPECT_EQ(taken[2].chunk, shared);
  EXPECT_EQ(taken[2].first, 2);
  EXPECT_TRUE(decoded.take().empty());
  EXPECT_EQ(*decoded.begins_of(ChunkIndex{1}), (std::vector<std::int64_t>{0, 3}))
      << "units begin where they did";
}

TEST(DecodedRanges, MayBeNone) {
  DecodedRanges none(0);
  EXPECT_EQ(none.begins_of(ChunkIndex{0}), nullptr);
  EXPECT_TRUE(none.take().empty());
}

}  // namespace
}  // namespace sheaf::internal
