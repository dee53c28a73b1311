#include "reader/fetch/decoded_ranges.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
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

  EXPECT_FALSE(decoded.take({ChunkIndex{0}, 0, 2})) << "a part of a range";
  EXPECT_FALSE(decoded.take({ChunkIndex{1}, 3, 9})) << "not decoded";
  EXPECT_FALSE(decoded.take({ChunkIndex{2}, 0, 3}));
  const std::optional<DecodedRange> taken = decoded.take({ChunkIndex{1}, 0, 3});
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->chunk, shared);
  EXPECT_EQ(taken->first, 2);
  EXPECT_FALSE(decoded.take({ChunkIndex{1}, 0, 3})) << "it is gone";
  EXPECT_TRUE(decoded.take({ChunkIndex{0}, 3, 2}));
}

TEST(DecodedRanges, CountTheMemoryOfWhatWasNotTaken) {
  const auto bytes = std::make_shared<std::vector<std::byte>>(400);
  const std::vector<Stream> streams = {{.name = "x", .sample_shape = {1}}};
  std::vector<Column> columns(1);
  columns[0].values = Buffer::borrow(*bytes, bytes);
  const auto chunk = std::make_shared<const Chunk>(streams, 100, std::move(columns));
  DecodedRanges decoded(1);
  decoded.add({ChunkIndex{0}, 0, 75}, chunk, 0);
  decoded.add({ChunkIndex{0}, 75, 25}, chunk, 75);
  EXPECT_EQ(decoded.bytes(), 400);
  EXPECT_TRUE(decoded.take({ChunkIndex{0}, 75, 25}));
  EXPECT_EQ(decoded.bytes(), 300);
  EXPECT_FALSE(decoded.take({ChunkIndex{0}, 75, 25}));
  EXPECT_EQ(decoded.bytes(), 300);
}

TEST(DecodedRanges, MayBeNone) {
  DecodedRanges none(0);
  EXPECT_EQ(none.begins_of(ChunkIndex{0}), nullptr);
  EXPECT_FALSE(none.take({ChunkIndex{0}, 0, 1}));
}

}  // namespace
}  // namespace sheaf::internal
