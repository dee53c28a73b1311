#include "format/megatron/megatron_index.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "format/megatron/megatron_test_files.h"

namespace sheaf::megatron {
namespace {

using testing::FilesInMemory;
using testing::made_of;

TEST(MegatronIndex, ChunksAndTablesLocateDocuments) {
  const FilesInMemory files(made_of<std::int32_t>(4, {{1, 2}, {3}, {4, 5, 6}}));
  const auto data = files.open({.chunk_size_bytes = 12});
  const auto first = data->index().chunk(ChunkIndex{0});
  const auto second = data->index().chunk(ChunkIndex{1});
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->offset_bytes, 0);
  EXPECT_EQ(first->size_bytes, 12);
  EXPECT_EQ(first->sequence_count, 2);
  EXPECT_EQ(first->sample_count, 3);
  EXPECT_EQ(second->offset_bytes, 12);
  EXPECT_EQ(second->size_bytes, 12);
  EXPECT_FALSE(data->index().chunk(ChunkIndex{2}));
  const auto table = data->index().sequences(ChunkIndex{0});
  EXPECT_EQ(table->key(1), SequenceKey{.low = 1});
  EXPECT_EQ(table->offset_bytes(1), 8);
  EXPECT_EQ(table->sample_count(0), 2);
  EXPECT_EQ(data->index().sequences(ChunkIndex{1})->key(0), SequenceKey{.low = 2});
}

// The memory of a chunk is known before the chunk is read.
TEST(MegatronIndex, AChunkTakesNoMoreMemoryThanTheIndexStates) {
  const FilesInMemory files(made_of<std::uint8_t>(1, {{1, 2, 3, 4, 5}, {}, {6}}));
  for (const ElementType type : {ElementType::u8, ElementType::i64}) {
    const auto data = files.open({.dtype = type});
    Diagnostics diagnostics;
    const Chunk chunk = data->read({.chunk = ChunkIndex{}, .first = 0, .count = 3}, diagnostics);
    EXPECT_LE(chunk.memory_bytes(), data->index().chunk(ChunkIndex{})->decoded_size_bytes + 6 * 64);
    EXPECT_GE(chunk.memory_bytes(), 6 * element_size(type));
  }
}

}  // namespace
}  // namespace sheaf::megatron
