#include "format/image_folder/image_folder_index.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "format/image_folder/image_folder_test_files.h"

namespace sheaf::image_folder {
namespace {

std::vector<std::int64_t> sizes_of(const Index& index) {
  std::vector<std::int64_t> sizes;
  for (ChunkIndex number{}; index.chunk(number); number = next(number)) {
    sizes.push_back(index.chunk(number)->sequence_count);
  }
  return sizes;
}

FoldersInMemory folders() {
  return {{"d/a/1.jpg", std::string(1000, '1')},
          {"d/a/2.jpg", std::string(2000, '2')},
          {"d/b/3.jpg", std::string(3000, '3')}};
}

TEST(ImageFolderIndex, ChunksHoldImagesUpToTheirSize) {
  using Sizes = std::vector<std::int64_t>;
  FoldersInMemory files = folders();
  const std::int64_t whole = files.open()->index().chunk(ChunkIndex{})->decoded_size_bytes;
  EXPECT_EQ(sizes_of(files.open()->index()), Sizes{3});
  EXPECT_EQ(sizes_of(files.open({.chunk_size_bytes = whole})->index()), Sizes{3});
  EXPECT_EQ(sizes_of(files.open({.chunk_size_bytes = whole - 1})->index()), (Sizes{2, 1}));
  EXPECT_EQ(sizes_of(files.open({.chunk_size_bytes = 1})->index()), (Sizes{1, 1, 1}));
}

TEST(ImageFolderIndex, SmallFilesCountTheirSequences) {
  FoldersInMemory files = {};
  for (int i = 0; i < 1000; ++i) {
    testing::write_file(files.files(), "d/a/" + std::to_string(i) + ".jpg", "");
  }
  EXPECT_GT(sizes_of(files.open({.chunk_size_bytes = 10'000})->index()).size(), 10U);
}

TEST(ImageFolderIndex, OffsetsKeysLocationsAndCostsAreThoseOfTheFiles) {
  FoldersInMemory files = folders();
  const auto data = files.open({.chunk_size_bytes = 4000});
  const Index& index = data->index();
  ASSERT_EQ(sizes_of(index), (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(index.chunk(ChunkIndex{0})->size_bytes, 3000);
  EXPECT_EQ(index.chunk(ChunkIndex{1})->offset_bytes, 3000);
  EXPECT_EQ(index.chunk(ChunkIndex{1})->size_bytes, 3000);
  const auto table = index.sequences(ChunkIndex{0});
  EXPECT_EQ(table->offset_bytes(1), 1000);
  EXPECT_EQ(table->key(1), key_of_text("a/2.jpg"));
  EXPECT_EQ(index.source_name(table->location(1)->source), "d/a/2.jpg");
  EXPECT_EQ(index.source_name(index.sequences(ChunkIndex{1})->location(0)->source), "d/b/3.jpg");
  EXPECT_EQ(index.sequences(ChunkIndex{0}), table) << "a table is kept";
  EXPECT_EQ(index.cost_measure().name, "bytes");
  EXPECT_EQ((*index.costs(ChunkIndex{0}))[1], 2000);
}

TEST(ImageFolderIndex, NumericKeysCountTheImages) {
  FoldersInMemory files = folders();
  const auto data = files.open({.chunk_size_bytes = 1, .keys = KeyType::numeric});
  EXPECT_EQ(data->index().sequences(ChunkIndex{2})->key(0), (SequenceKey{.low = 2}));
  EXPECT_EQ(told(*data).substr(0, 4), "=0 1") << "without a text";
}

TEST(ImageFolderIndex, AChunkTakesNoMoreMemoryThanTheIndexStates) {
  FoldersInMemory files = folders();
  testing::write_file(files.files(), "d/b/" + std::string(200, 'x') + ".png", "");
  for (const KeyType keys : {KeyType::text, KeyType::numeric}) {
    for (const char* const labels : {"ids", "one_hot", "none"}) {
      const auto data = files.open({.keys = keys, .extra = {{"image_folder.labels", labels}}});
      Diagnostics diagnostics;
      const Chunk chunk = data->read({.chunk = ChunkIndex{}, .first = 0, .count = 4}, diagnostics);
      EXPECT_LE(chunk.memory_bytes(), data->index().chunk(ChunkIndex{})->decoded_size_bytes)
          << labels;
    }
  }
}

}  // namespace
}  // namespace sheaf::image_folder
