#include "format/cbf/cbf_index.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"
#include "sheaf/extend/format.h"

#include "format/cbf/cbf_test_file.h"
#include "support/test_sources.h"

namespace sheaf::cbf {
namespace {

using conformance::CbfTestFile;
using conformance::dense_block;

// Returns chunks of sequences with the given lengths, with one f32 value for each sample.
CbfTestFile file_of(const std::vector<std::vector<std::uint32_t>>& chunks) {
  CbfTestFile file{.streams = {{.name = "a"}}, .chunks = {}};
  for (const std::vector<std::uint32_t>& lengths : chunks) {
    conformance::CbfTestChunk chunk{.lengths = lengths, .blocks = {{}}};
    for (const std::uint32_t length : lengths) {
      chunk.blocks[0].push_back(dense_block(length, std::vector<float>(length)));
    }
    file.chunks.push_back(chunk);
  }
  return file;
}

std::unique_ptr<Deserializer> open(std::shared_ptr<const ByteSource> source,
                                   std::int64_t group_size_bytes = 0,
                                   const std::string& lengths = "check") {
  FormatOptions options;
  options.groups_chunks = group_size_bytes > 0;
  options.chunk_size_bytes = group_size_bytes > 0 ? group_size_bytes : 1;
  options.extra["cbf.lengths"] = lengths;
  return find_format("x.cbf", options).open({std::move(source), options});
}

std::unique_ptr<Deserializer> open(const CbfTestFile& file, std::int64_t group_size_bytes = 0) {
  return open(memory_source(to_bytes(file), "x.cbf"), group_size_bytes);
}

TEST(CbfIndex, HasTheChunksOfTheFile) {
  const auto data = open(file_of({{2, 1}, {3}}));
  const std::optional<ChunkInfo> first = data->index().chunk(ChunkIndex{0});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->offset_bytes, 12);
  EXPECT_EQ(first->size_bytes, 8 + 12 + 8);
  EXPECT_EQ(first->sequence_count, 2);
  EXPECT_EQ(first->sample_count, 3);
  const auto table = data->index().sequences(ChunkIndex{1});
  EXPECT_EQ(table->size(), 1);
  EXPECT_EQ(table->key(0), SequenceKey{.low = 2});
  EXPECT_EQ(table->sample_count(0), 3);
  EXPECT_FALSE(data->index().chunk(ChunkIndex{2}));
}

// The table gives the bytes of a chunk. The blocks need most of them, which limits the number of
// samples.
TEST(CbfIndex, LimitsSamplesToTheRoomInTheBlocks) {
  constexpr std::size_t kSequences = 100;
  const auto chunk_of = [&](std::uint32_t sparse_samples) {
    conformance::CbfTestChunk chunk{.lengths = std::vector<std::uint32_t>(kSequences, 1),
                                    .blocks = std::vector<std::vector<std::string>>(2)};
    for (std::size_t i = 0; i < kSequences; ++i) {
      chunk.blocks[0].push_back(dense_block(1, std::vector<float>(200)));
      chunk.blocks[1].push_back(conformance::sparse_block(
          sparse_samples, {}, {}, std::vector<std::int32_t>(sparse_samples, 0)));
    }
    return chunk;
  };
  for (const std::uint32_t samples : {1U, 2U, 50U}) {
    SCOPED_TRACE(samples);
    CbfTestFile file{.streams = {{.name = "a", .dim = 200}, {.name = "b", .is_sparse = true}},
                     .chunks = {chunk_of(samples)}};
    const auto data = open(file);
    const std::optional<ChunkInfo> info = data->index().chunk(ChunkIndex{0});
    const std::int64_t offsets = std::int64_t{8} * kSequences * samples;
    EXPECT_GE(info->decoded_size_bytes, info->size_bytes + offsets);
    constexpr std::int64_t kOfSequences = 100 * kSequences + 2000;  // offsets of sequences, and
                                                                    // buffers
    EXPECT_LE(info->decoded_size_bytes, info->size_bytes + offsets + kOfSequences);
    Diagnostics diagnostics;
    const Chunk chunk = data->read({ChunkIndex{0}, 0, kSequences}, diagnostics);
    EXPECT_LE(chunk.memory_bytes(), info->decoded_size_bytes);
  }
}

TEST(CbfIndex, GroupsHoldAsManyChunksAsFit) {
  // Chunks of 12, 16, 12, 92 and 12 bytes.
  const CbfTestFile file = file_of({{1}, {2}, {1}, {21}, {1}});
  const auto data = open(file, 40);
  const auto count = [&](std::int64_t i) {
    return data->index().chunk(ChunkIndex{i})->sequence_count;
  };
  EXPECT_EQ(count(0), 3);
  EXPECT_EQ(count(1), 1);
  EXPECT_EQ(count(2), 1);
  EXPECT_FALSE(data->index().chunk(ChunkIndex{3}));
  const auto table = data->index().sequences(ChunkIndex{0});
  EXPECT_EQ(table->size(), 3);
  EXPECT_EQ(table->sample_count(1), 2);
  EXPECT_EQ(table->key(2), SequenceKey{.low = 2});
  EXPECT_EQ(data->index().chunk(ChunkIndex{0})->sample_count, 4);

  Diagnostics diagnostics;
  const Chunk chunk = data->read({.chunk = ChunkIndex{0}, .first = 1}, diagnostics);
  EXPECT_EQ(chunk.sequence_count(), 2);
  EXPECT_EQ(chunk.view(0, 0).sample_count, 2);
}

TEST(CbfIndex, AGroupIsReadInOneRead) {
  const auto source = std::make_shared<testing::TestSource>(
      to_bytes(file_of(std::vector<std::vector<std::uint32_t>>(1000, {1}))));
  const auto data = open(source, 1 << 20);
  ASSERT_EQ(data->index().chunk(ChunkIndex{0})->sequence_count, 1000);
  FormatOptions options;
  options.groups_chunks = true;
  const auto whole = find_format("x.cbf", options).open({source, options});
  const std::int64_t before = source->read_count();
  Diagnostics diagnostics;
  EXPECT_EQ(whole->read({.chunk = ChunkIndex{0}}, diagnostics).sequence_count(), 1000);
  EXPECT_EQ(source->read_count(), before + 1);
}

TEST(CbfIndex, InconsistentLengthsAreAnErrorUnlessTrusted) {
  CbfTestFile file = file_of({{2, 1}});
  std::string bytes = to_bytes(file);
  bytes[12] = 5;
  const auto checked = open(memory_source(bytes, "x.cbf"));
  EXPECT_THROW(static_cast<void>(checked->index().sequences(ChunkIndex{0})), DataError);
  const auto trusted = open(memory_source(bytes, "x.cbf"), 0, "trust");
  EXPECT_EQ(trusted->index().chunk(ChunkIndex{0})->sample_count, 6);
  EXPECT_EQ(trusted->index().sequences(ChunkIndex{0})->sample_count(0), 5);
}

TEST(CbfIndex, TablesBeyondTheMemoryLimitAreRebuilt) {
  const std::string bytes = to_bytes(file_of({{1, 2, 3, 4, 5, 6}, {6, 5, 4, 3, 2, 1}}));
  FormatOptions options;
  options.index.memory_limit_bytes = 1;
  const auto data = find_format("x.cbf", options).open({memory_source(bytes, "x.cbf"), options});
  const auto first = data->index().sequences(ChunkIndex{0});
  const std::int64_t memory = data->index().memory_bytes();
  EXPECT_EQ(data->index().sequences(ChunkIndex{1})->sample_count(0), 6);
  EXPECT_EQ(data->index().memory_bytes(), memory);
  EXPECT_NE(data->index().sequences(ChunkIndex{0}), first);
  EXPECT_EQ(data->index().sequences(ChunkIndex{0})->sample_count(5), 6);
}

}  // namespace
}  // namespace sheaf::cbf
