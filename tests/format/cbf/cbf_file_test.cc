#include "format/cbf/cbf_file.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "format/cbf/cbf_test_file.h"

namespace sheaf::cbf {
namespace {

using conformance::CbfTestFile;
using conformance::dense_block;

// Returns chunks of `sizes` sequences. A sequence has one sample of one value.
CbfTestFile file_of(const std::vector<std::size_t>& sizes) {
  CbfTestFile file{.streams = {{.name = "a"}}, .chunks = {}};
  for (const std::size_t size : sizes) {
    file.chunks.push_back(
        {.lengths = std::vector<std::uint32_t>(size, 1),
         .blocks = {std::vector<std::string>(size, dense_block(1, std::vector<float>{1}))}});
  }
  return file;
}

TEST(OpenCbf, FindsStreamsAndChunks) {
  CbfTestFile test = file_of({2, 1});
  test.streams[0] = {.name = "a", .is_double = false, .dim = 1};
  const CbfFile file = open_cbf(*memory_source(to_bytes(test), "x"));
  EXPECT_EQ(file.streams, std::vector<FileStream>{{.name = "a"}});
  ASSERT_EQ(file.chunks.size(), 2);
  EXPECT_EQ(file.chunks[0].offset, 12);
  EXPECT_EQ(file.chunks[0].size, 24);
  EXPECT_EQ(file.chunks[1].offset, 36);
  EXPECT_EQ(file.chunks[1].size, 12);
  EXPECT_EQ(file.chunks[1].first_sequence, 2);
  EXPECT_EQ(file.chunks[1].sample_count, 1);
  EXPECT_EQ(file.chunks.sequence_count(), 3);
  EXPECT_EQ(file.header_offset, 48);
  EXPECT_EQ(file.stream_table_offset, 64);
  EXPECT_EQ(file.chunk_table_offset, 75);
  EXPECT_EQ(file.end_offset, 75 + 32);
}

TEST(OpenCbf, SkipsEmptyChunks) {
  const CbfFile file = open_cbf(*memory_source(to_bytes(file_of({0, 2, 0, 0, 1, 0})), "x"));
  ASSERT_EQ(file.chunks.size(), 2);
  EXPECT_EQ(file.chunks[0].number, 1);
  EXPECT_EQ(file.chunks[0].size, 24);
  EXPECT_EQ(file.chunks[1].number, 4);
}

TEST(OpenCbf, UnusedBytesMayBeAnything) {
  CbfTestFile test = file_of({1});
  test.gap = "abcde";
  test.tail = "nib_ktnc and more";
  const CbfFile file = open_cbf(*memory_source(to_bytes(test), "x"));
  EXPECT_EQ(file.chunks[0].offset, 17);
}

TEST(ChunkTable, ManySmallChunksTakeLittleMemory) {
  const CbfFile file =
      open_cbf(*memory_source(to_bytes(file_of(std::vector<std::size_t>(20'000, 1))), "x"));
  EXPECT_EQ(file.chunks.size(), 20'000);
  EXPECT_EQ(file.chunks[19'999].first_sequence, 19'999);
  EXPECT_LT(file.chunks.memory_bytes(), 20'000);
}

}  // namespace
}  // namespace sheaf::cbf
