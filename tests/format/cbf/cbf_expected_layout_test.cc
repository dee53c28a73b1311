#include "format/cbf/cbf_expected_layout.h"

#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::cbf {
namespace {

using Lengths = std::vector<std::uint32_t>;
using Starts = std::vector<std::int64_t>;

FileStream dense(std::int64_t dim, ElementType type = ElementType::f32) {
  return {.name = "s", .storage = Storage::dense, .element_type = type, .dim = dim};
}

ChunkTable::Chunk chunk_of(std::int64_t size, std::int64_t sequences) {
  ChunkTable::Chunk chunk;
  chunk.size = size;
  chunk.sequence_count = sequences;
  return chunk;
}

TEST(CbfExpectedLayout, AssumesTheLengthsOfTheSequences) {
  // 3 lengths; then counts with 6 samples of 2 values; then counts with 6 samples of a double.
  const std::vector<FileStream> streams = {dense(2), dense(1, ElementType::f64)};
  const auto layout = expected_layout(streams, chunk_of(12 + 60 + 60, 3), Lengths{1, 2, 3});
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->part_count, 1);
  EXPECT_EQ(layout->starts, (Starts{12, 72, 132}));
}

TEST(CbfExpectedLayout, AssumesOneSampleASequence) {
  const std::vector<FileStream> streams = {dense(2), dense(1)};
  const auto layout = expected_layout(streams, chunk_of(12 + 60 + 24, 3), Lengths{1, 2, 3});
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->starts, (Starts{12, 72, 96}));
}

TEST(CbfExpectedLayout, IsUnknownForOtherSizes) {
  const std::vector<FileStream> streams = {dense(2)};
  EXPECT_FALSE(expected_layout(streams, chunk_of(12 + 60 + 1, 3), Lengths{1, 2, 3}));
  EXPECT_FALSE(expected_layout(streams, chunk_of(12 + 60 - 1, 3), Lengths{1, 2, 3}));
}

TEST(CbfExpectedLayout, IsUnknownForSparseStreamsAndHugeCounts) {
  std::vector<FileStream> streams = {dense(2)};
  streams[0].storage = Storage::sparse;
  EXPECT_FALSE(expected_layout(streams, chunk_of(12 + 60, 3), Lengths{1, 2, 3}));
  constexpr std::uint32_t kLargest = std::numeric_limits<std::uint32_t>::max();
  streams[0] = dense(kLargest, ElementType::f64);
  EXPECT_FALSE(expected_layout(streams, chunk_of(1000, 2), Lengths{kLargest, kLargest}));
}

TEST(CbfExpectedLayout, PartsStartWithTheirSequences) {
  const std::int64_t count = 40'000;
  Lengths lengths;
  std::int64_t samples = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    lengths.push_back(static_cast<std::uint32_t>(1 + i % 7));
    samples += lengths.back();
  }
  const std::vector<FileStream> streams = {dense(1), dense(1)};
  const std::int64_t first_size = 4 * count + 4 * samples;
  const ChunkTable::Chunk chunk = chunk_of(4 * count + first_size + 8 * count, count);
  const auto layout = expected_layout(streams, chunk, lengths);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->part_count, part_count(chunk.size, count));
  ASSERT_GT(layout->part_count, 10);
  for (std::int64_t part = 0; part < layout->part_count; ++part) {
    const std::int64_t first = part * count / layout->part_count;
    std::int64_t before = 0;
    for (std::int64_t i = 0; i < first; ++i) before += lengths[static_cast<std::size_t>(i)];
    EXPECT_EQ(layout->start(0, part), 4 * count + 4 * first + 4 * before);
    EXPECT_EQ(layout->start(1, part), 4 * count + first_size + 8 * first);
  }
  EXPECT_EQ(layout->start(1, layout->part_count), chunk.size);
}

}  // namespace
}  // namespace sheaf::cbf
