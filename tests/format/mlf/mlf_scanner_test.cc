#include "format/mlf/mlf_scanner.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::mlf {
namespace {

internal::TextSchema schema() {
  internal::TextSchema schema;
  schema.streams = {{.name = "y", .sample_shape = Shape{4}, .storage = Storage::sparse}};
  schema.read_size_bytes = 16;
  schema.has_text_keys = schema.may_drop = true;
  return schema;
}

/// Returns a line for each sequence, chunk by chunk.
std::vector<std::string> scan(std::string_view text, FirstLocations& locations, std::int64_t file,
                              std::int64_t chunk_size = 1000) {
  const auto source = memory_source(std::string(text), "t");
  const internal::TextSchema streams = schema();
  const Options options = parse_options({});
  const auto scanner =
      make_scanner(*source, streams, options, locations, file,
                   {.begin = 0, .end = source->size(), .chunk_size_bytes = chunk_size});
  std::vector<std::string> lines;
  while (const std::optional<internal::ScannedChunk> chunk = scanner->next()) {
    for (std::int64_t i = 0; i < chunk->sequences.size(); ++i) {
      lines.push_back(std::to_string(chunk->info.offset_bytes) + "+" +
                      std::to_string(chunk->sequences.offset_bytes(i)) + " line " +
                      std::to_string(chunk->info.first_line + chunk->sequences.first_line(i)) +
                      " frames " + std::to_string(chunk->sequences.sample_count(i)));
    }
  }
  return lines;
}

constexpr std::string_view kTwo = "#!MLF!#\n\"a\"\n0 2 x 1\n2 5 x 1\n.\n\n\"b\"\n0 1 x 1\n.\n";

TEST(MlfScanner, TheLastRangeGivesTheLength) {
  FirstLocations locations;
  const std::vector<std::string> expected = {"8+0 line 2 frames 5", "8+23 line 7 frames 1"};
  EXPECT_EQ(scan(kTwo, locations, 0), expected);
  EXPECT_EQ(scan(kTwo, locations, 0), expected) << "a repeated scan finds the same utterances";
  EXPECT_EQ(scan(kTwo, locations, 1), std::vector<std::string>{}) << "the file before has the keys";
  FirstLocations others;
  EXPECT_EQ(scan(kTwo, others, 0, 30),
            (std::vector<std::string>{"8+0 line 2 frames 5", "31+0 line 7 frames 1"}));
}

TEST(MlfScanner, AnUnreadableUtteranceHasNoFrames) {
  FirstLocations locations;
  EXPECT_EQ(scan("\"a\"\n0 2 x 1\n3\n.\n.\nb\n.\n\"c\"\n0 1 x", locations, 0),
            (std::vector<std::string>{"0+0 line 1 frames 0", "0+16 line 5 frames 0",
                                      "0+18 line 6 frames 0", "0+22 line 8 frames 1"}));
}

TEST(MlfFirstLocations, PreferEarlierFilesAndOffsets) {
  FirstLocations locations;
  const SequenceKey key{.low = 7};
  EXPECT_TRUE(locations.add(key, {.file = 1, .offset = 20}));
  EXPECT_TRUE(locations.add(key, {.file = 1, .offset = 20}));
  EXPECT_TRUE(locations.add(key, {.file = 0, .offset = 30}));
  EXPECT_FALSE(locations.add(key, {.file = 1, .offset = 21}));
  EXPECT_FALSE(locations.add(key, {.file = 2, .offset = 0}));
  EXPECT_TRUE(locations.add({.low = 7, .high = 1}, {.file = 2, .offset = 0}));
}

TEST(MlfFirstLocations, HoldManySimilarKeys) {
  FirstLocations locations;
  for (const std::int64_t round : {0, 1}) {
    for (std::int64_t i = 0; i < 1000; ++i) {
      // The two halves of such a key often cancel out.
      const auto number = static_cast<std::uint64_t>(i);
      const SequenceKey key{.low = number, .high = i % 3 == 0 ? number : 0};
      EXPECT_EQ(locations.add(key, {.file = round, .offset = i}), round == 0) << i;
    }
  }
  EXPECT_GE(locations.memory_bytes(), 32'000);
  EXPECT_LE(locations.memory_bytes(), 64'000);
}

}  // namespace
}  // namespace sheaf::mlf
