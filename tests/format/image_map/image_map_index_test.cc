#include "format/image_map/image_map_index.h"

#include <string>

#include <gtest/gtest.h>

#include "format/image_map/image_map_test_files.h"

namespace sheaf::image_map {
namespace {

MapInMemory three_images() {
  return MapInMemory("a.jpg\t0\nb.jpg\t1\nc.jpg\t2\n",
                     {{"a.jpg", "1234"}, {"b.jpg", "12345"}, {"c.jpg", "1"}});
}

std::int64_t chunk_count(const Index& index) {
  std::int64_t count = 0;
  while (index.chunk(ChunkIndex{count})) ++count;
  return count;
}

TEST(ImageMapIndex, ChunksHaveAboutTheRequestedSize) {
  MapInMemory map = three_images();
  const auto count_of = [&](std::int64_t size) {
    return chunk_count(map.open({.chunk_size_bytes = size})->index());
  };
  EXPECT_EQ(count_of(10), 1);
  EXPECT_EQ(count_of(9), 2);
  EXPECT_EQ(count_of(6), 2);
  EXPECT_EQ(count_of(5), 3);
  EXPECT_EQ(count_of(1), 3);
  const auto data = map.open({.chunk_size_bytes = 9});
  const ChunkInfo last = *data->index().chunk(ChunkIndex{1});
  EXPECT_EQ(last.offset_bytes, 9);
  EXPECT_EQ(last.size_bytes, 1);
  EXPECT_EQ(last.first_line, 3);
  EXPECT_EQ(last.sequence_count, 1);
  const auto table = data->index().sequences(ChunkIndex{0});
  EXPECT_EQ(table->offset_bytes(1), 4);
  EXPECT_EQ(table->first_line(1), 1);
  EXPECT_EQ(table->key(1), key_of_text("1"));
}

TEST(ImageMapIndex, CntkHasAChunkForEachView) {
  FormatOptions options;
  options.compatibility = Compatibility::cntk;
  options.extra["image_map.views"] = "10";
  MapInMemory map = three_images();
  const auto data = map.open(options);
  EXPECT_EQ(chunk_count(data->index()), 30);
  const ChunkInfo chunk = *data->index().chunk(ChunkIndex{19});
  EXPECT_EQ(chunk.size_bytes, 5);
  EXPECT_EQ(chunk.sequence_count, 1);
  EXPECT_EQ(data->index().sequences(ChunkIndex{19})->key(0), SequenceKey{.low = 1});
  const auto& index = dynamic_cast<const ImageMapIndex&>(data->index());
  EXPECT_EQ(index.view_of(ChunkIndex{19}, 0).image, 1);
  EXPECT_EQ(index.view_of(ChunkIndex{19}, 0).view, 9);
}

TEST(ImageMapIndex, ViewsOfAnImageShareAChunk) {
  FormatOptions options;
  options.chunk_size_bytes = 1;
  options.extra["image_map.views"] = "10";
  MapInMemory map = three_images();
  const auto data = map.open(options);
  EXPECT_EQ(chunk_count(data->index()), 3);
  EXPECT_EQ(data->index().chunk(ChunkIndex{1})->sequence_count, 10);
  EXPECT_EQ((*data->index().costs(ChunkIndex{1}))[9], 5);
}

TEST(ImageMapIndex, CostsAreBytesOrPixels) {
  MapInMemory map = three_images();
  EXPECT_EQ(map.open()->index().cost_measure().name, "bytes");
  EXPECT_EQ((*map.open()->index().costs(ChunkIndex{0}))[1], 5);
  map.add("b.jpg", std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\2\0\0\0\3\10\2\0\0\0", 29) +
                       "1234" + std::string("\0\0\0\1IDATx1234", 13));
  FormatOptions options;
  options.extra["image_map.headers"] = "read";
  const auto data = map.open(options);
  EXPECT_EQ(data->index().cost_measure().name, "pixels");
  EXPECT_EQ((*data->index().costs(ChunkIndex{0}))[0], 0);
  EXPECT_EQ((*data->index().costs(ChunkIndex{0}))[1], 6);
}

TEST(ImageMapIndex, AnImageTakesFewBytes) {
  std::string lines;
  for (int i = 0; i < 10'000; ++i) lines += "folder/" + std::to_string(i % 97) + ".jpg\t1\n";
  for (const Compatibility rules : {Compatibility::strict, Compatibility::cntk}) {
    FormatOptions options;
    options.compatibility = rules;
    options.keys = KeyType::text;
    EXPECT_LT(MapInMemory(lines).open(options)->index().memory_bytes(), 10'000 * 24);
  }
}

}  // namespace
}  // namespace sheaf::image_map
