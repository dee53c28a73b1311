#include "index/scanned_chunk.h"

#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "index/line_scanner.h"

namespace sheaf::internal {
namespace {

ChunkBuilder::Sequence sequence_at(std::int64_t offset, std::int64_t end) {
  return {.key = {.low = 7},
          .offset = offset,
          .end = end,
          .line = 3,
          .sample_count = 2,
          .key_text_size = 100};
}

/// Of one stream.
std::vector<StreamCounts> counts(std::int64_t samples, std::int64_t pairs) {
  return {{samples, pairs}};
}

TEST(ChunkBuilder, ClosesAChunkBeforeWhatWouldMakeItTooLong) {
  const TextSchema schema = line_schema(0);
  ChunkBuilder builder(schema, 10);
  EXPECT_FALSE(builder.add(sequence_at(5, 11), counts(1, 0)));
  EXPECT_FALSE(builder.add(sequence_at(11, 15), counts(2, 0)));
  const std::optional<ScannedChunk> first = builder.add(sequence_at(15, 40), counts(3, 0));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->info.offset_bytes, 5);
  EXPECT_EQ(first->info.size_bytes, 10);
  EXPECT_EQ(first->info.sample_count, 4);
  EXPECT_EQ(first->sequences.size(), 2);
  EXPECT_EQ(first->sequences.offset_bytes(1), 6);
  EXPECT_EQ(first->notes.streams[0].sample_count, 3);
  const std::optional<ScannedChunk> last = builder.finish();
  ASSERT_TRUE(last);
  EXPECT_EQ(last->info.size_bytes, 25);  // longer than was asked for: a sequence is never cut
  EXPECT_EQ(last->notes.streams[0].sample_count, 3);
  EXPECT_FALSE(builder.finish());
}

TEST(ChunkBuilder, ForeseesWhatAChunkTakesInMemory) {
  const auto decoded = [](const TextSchema& schema) {
    ChunkBuilder builder(schema, 1000);
    static_cast<void>(builder.add(sequence_at(0, 20), counts(3, 5)));
    return builder.finish()->info.decoded_size_bytes;
  };
  TextSchema schema = line_schema(0);
  schema.streams[0].sample_shape = Shape{1000};
  const std::int64_t bounded = decoded(schema);  // twenty bytes of text cannot hold three thousand
  schema.fills_up = true;
  EXPECT_EQ(decoded(schema) - bounded, 3 * 4 * (1000 - 20));
  const std::int64_t without_texts = decoded(schema);
  schema.has_text_keys = true;
  EXPECT_GT(decoded(schema), without_texts + 100);
  schema.streams[0].storage = Storage::sparse;
  EXPECT_LT(decoded(schema), without_texts);
}

}  // namespace
}  // namespace sheaf::internal
