#include "format/image_base64/image_base64_views.h"

#include <gtest/gtest.h>

#include "sheaf/error.h"

namespace sheaf::image_base64 {
namespace {

/// Returns the index of two lines in one chunk, with 10 and 30 bytes.
MemoryIndex two_lines() {
  MemoryIndex lines({.name = "bytes"});
  SequenceTable::Builder table;
  table.push_back({.key = {.low = 5}, .offset_bytes = 0, .first_line = 0, .sample_count = 1});
  table.push_back({.key = {.low = 3}, .offset_bytes = 10, .first_line = 2, .sample_count = 1});
  lines.add({.offset_bytes = 100, .size_bytes = 40, .first_line = 9, .decoded_size_bytes = 77},
            table.finish());
  return lines;
}

TEST(ImageBase64Views, TheViewsOfALineAreConsecutive) {
  const MemoryIndex lines = two_lines();
  const ViewsIndex index(lines, 10);
  const auto chunk = index.chunk(ChunkIndex{});
  ASSERT_TRUE(chunk);
  EXPECT_EQ(chunk->sequence_count, 20);
  EXPECT_EQ(chunk->sample_count, 20);
  EXPECT_EQ(chunk->size_bytes, 40);
  EXPECT_EQ(chunk->decoded_size_bytes, 77);
  EXPECT_FALSE(index.chunk(ChunkIndex{1}));
  const auto table = index.sequences(ChunkIndex{});
  ASSERT_EQ(table->size(), 20);
  for (std::int64_t i = 0; i < 20; ++i) {
    EXPECT_EQ(table->key(i).low, i < 10 ? 5U : 3U);
    EXPECT_EQ(table->offset_bytes(i), i < 10 ? 0 : 10);
    EXPECT_EQ(table->first_line(i), i < 10 ? 0 : 2);
    EXPECT_EQ(table->sample_count(i), 1);
  }
}

TEST(ImageBase64Views, EachViewCostsItsLine) {
  const MemoryIndex lines = two_lines();
  const ViewsIndex index(lines, 10);
  EXPECT_EQ(index.cost_measure().name, "bytes");
  const auto costs = index.costs(ChunkIndex{});
  ASSERT_TRUE(costs);
  EXPECT_EQ((*costs)[9], 10);
  EXPECT_EQ((*costs)[10], 30);
  EXPECT_EQ(index.chunk_cost(ChunkIndex{}), 400);
}

TEST(ImageBase64Views, EachViewCostsThePixelsOfItsLine) {
  constexpr std::int64_t kMany = std::int64_t{1} << 60;
  for (const std::int64_t pixels : {std::int64_t{6}, kMany}) {
    MemoryIndex lines({.name = "pixels"});
    SequenceTable::Builder table;
    table.push_back({.sample_count = 1, .cost = pixels});
    table.push_back({.offset_bytes = 10, .sample_count = 1, .cost = 0});
    lines.add({.size_bytes = 40}, table.finish());
    const ViewsIndex index(lines, 10);
    EXPECT_EQ(index.cost_measure().name, "pixels");
    EXPECT_EQ((*index.costs(ChunkIndex{}))[9], pixels);
    EXPECT_EQ((*index.costs(ChunkIndex{}))[10], 0);
    if (pixels == kMany) {
      EXPECT_THROW(static_cast<void>(index.chunk_cost(ChunkIndex{})), ConfigError);
    } else {
      EXPECT_EQ(index.chunk_cost(ChunkIndex{}), 60);
    }
  }
}

}  // namespace
}  // namespace sheaf::image_base64
