#include "ops/merged_parts.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ops/conversion_data.h"

namespace sheaf::internal {
namespace {

TEST(MergedParts, ChunksOfAllPartsAreConcatenated) {
  testing::ConversionData files;
  std::vector<OpenPart> parts;
  for (const std::int64_t size : {300, 100000, 900}) {
    parts.push_back({.path = std::to_string(size),
                     .note = {.open_chunks = {0}},
                     .data = files.open("in.ctf", {.chunk_size_bytes = size})});
  }
  std::vector<ChunkInfo> expected;
  for (const OpenPart& part : parts) {
    for (ChunkIndex i{}; part.data->index().chunk(i); i = next(i)) {
      expected.push_back(*part.data->index().chunk(i));
    }
  }
  const std::vector<OpenPart> copies = parts;
  const MergedParts merged(std::move(parts));
  std::int64_t part = 0;
  std::int64_t end_bytes = 0;
  for (std::int64_t i = 0; i < std::ssize(expected); ++i) {
    const ChunkIndex chunk{i};
    const auto info = merged.index().chunk(chunk);
    ASSERT_TRUE(info);
    EXPECT_EQ(info->sequence_count, expected[static_cast<std::size_t>(i)].sequence_count);
    EXPECT_EQ(info->offset_bytes, end_bytes);
    end_bytes += info->size_bytes;
    const bool is_first = expected[static_cast<std::size_t>(i)].offset_bytes == 0;
    part += is_first ? 1 : 0;
    EXPECT_EQ(merged.ends_input(chunk), !is_first);
    Diagnostics diagnostics;
    EXPECT_EQ(merged.read({chunk, 0, 1}, diagnostics).sequence_count(), 1);
    EXPECT_EQ(merged.index().sequences(chunk)->size(), info->sequence_count);
    EXPECT_EQ(merged.location_of(chunk, 0, 0).path.empty(), false);
  }
  EXPECT_EQ(part, 3);
  EXPECT_FALSE(merged.index().chunk(ChunkIndex{std::ssize(expected)}));
  EXPECT_EQ(merged.streams().size(), 1U);
  EXPECT_GT(merged.index().memory_bytes(), copies[0].data->index().memory_bytes());
}

}  // namespace
}  // namespace sheaf::internal
