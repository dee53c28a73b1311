#include "format/text/scanned_chunk.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/text/line_scanner.h"

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

/// Returns the counts of one stream.
std::vector<StreamCounts> counts(std::int64_t samples, std::int64_t pairs) {
  return {{samples, pairs}};
}

TEST(ChunkBuilder, ClosesAChunkBeforeASequenceThatDoesNotFit) {
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
  EXPECT_EQ(last->info.size_bytes, 25);  // longer than requested, because a sequence is never cut
  EXPECT_EQ(last->notes.streams[0].sample_count, 3);
  EXPECT_FALSE(builder.finish());
}

TEST(ChunkBuilder, EstimatesTheMemoryOfAChunk) {
  const auto decoded = [](const TextSchema& schema) {
    ChunkBuilder builder(schema, 1000);
    static_cast<void>(builder.add(sequence_at(0, 20), counts(3, 5)));
    return builder.finish()->info.decoded_size_bytes;
  };
  TextSchema schema = line_schema(0);
  schema.streams[0].sample_shape = Shape{1000};
  const std::int64_t bounded = decoded(schema);  // twenty bytes of text cannot hold 3,000 samples
  schema.fills_up = true;
  EXPECT_EQ(decoded(schema) - bounded, 4 * (3 * 1000 - 11));
  const std::int64_t without_texts = decoded(schema);
  schema.has_text_keys = true;
  EXPECT_GT(decoded(schema), without_texts + 100);
  schema.streams[0].storage = Storage::sparse;
  EXPECT_LT(decoded(schema), without_texts);
}

// Tests samples and dims that exceed any memory, including products of more than 64 bits.
TEST(ChunkBuilder, EstimatesSaturate) {
  constexpr std::int64_t kMost = std::int64_t{1} << 48;
  TextSchema schema = line_schema(0);
  schema.fills_up = true;
  for (const std::int64_t dim :
       {std::int64_t{1} << 20, (std::int64_t{1} << 31) - 1, std::int64_t{1} << 40}) {
    for (const std::int64_t samples :
         {std::int64_t{1}, std::int64_t{1} << 20, std::int64_t{1} << 31,
          std::numeric_limits<std::int64_t>::max() / 16}) {
      schema.streams[0].sample_shape = Shape{dim};
      ChunkBuilder builder(schema, 1000);
      static_cast<void>(builder.add(sequence_at(0, 20), counts(samples, 0)));
      const std::int64_t decoded = builder.finish()->info.decoded_size_bytes;
      if (dim <= kMost / 8 / samples) {
        EXPECT_GE(decoded, 4 * dim * samples);
        EXPECT_LE(decoded, 4 * dim * samples + 1000);
      } else {
        EXPECT_GE(decoded, kMost / 2);
        EXPECT_LE(decoded, kMost);
      }
    }
  }
}

// The table of a chunk is in memory as a whole, and a sequence may take only a few bytes of text.
TEST(ChunkBuilder, RefusesMoreSequencesThanFitInMemory) {
  const auto sequences_of = [](bool has_text_keys, auto key_of) {
    TextSchema schema = line_schema(0);
    schema.has_text_keys = has_text_keys;
    schema.table_size_max_bytes = 1000;
    ChunkBuilder builder(schema, 100'000);
    for (std::int64_t i = 0;; ++i) {
      ChunkBuilder::Sequence sequence = sequence_at(4 * i, 4 * i + 4);
      sequence.key = {.low = key_of(static_cast<std::uint64_t>(i))};
      try {
        static_cast<void>(builder.add(sequence, counts(1, 0)));
      } catch (const ConfigError& error) {
        EXPECT_NE(std::string(error.what())
                      .find("memory limit: too small for the "
                            "sequences of the chunk at byte 0, of which"),
                  std::string::npos)
            << error.what();
        return i;
      }
      if (i == 5000) return i;
    }
  };
  const auto evenly = [](std::uint64_t i) { return i * 1000; };
  EXPECT_EQ(sequences_of(false, evenly), 5000);  // takes no memory
  EXPECT_EQ(sequences_of(true, evenly), 62);  // texts: 16 bytes each, plus 2 for the first offset
  EXPECT_EQ(sequences_of(false, [](std::uint64_t i) { return i * i; }), 564);  // 1 byte, then 2
  const std::int64_t far = sequences_of(
      false, [](std::uint64_t i) { return i * i * std::uint64_t{0x9E37'79B9'7F4A'7C15}; });
  EXPECT_GE(far, 124);
  EXPECT_LE(far, 140);
}

TEST(RowSizeMax, IsTheIndexMemoryButAtLeastTheReadSize) {
  EXPECT_EQ(row_size_max(0, 1), RowReader::kAnySize);
  EXPECT_EQ(row_size_max(1, 1), 1 << 20);
  EXPECT_EQ(row_size_max(1, 1 << 22), 1 << 22);
  EXPECT_EQ(row_size_max(1 << 23, 1 << 22), 1 << 23);
  EXPECT_EQ(long_row_bytes(0), 0);
  EXPECT_EQ(long_row_bytes(1 << 20), 0);
  EXPECT_EQ(long_row_bytes(3 << 20), 2 << 20);
  EXPECT_EQ(table_size_max(0), RowReader::kAnySize);
  EXPECT_EQ(table_size_max(1), 24 << 20);
  EXPECT_EQ(table_size_max(1 << 30), 1 << 29);
}

}  // namespace
}  // namespace sheaf::internal
