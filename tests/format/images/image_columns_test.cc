#include "format/images/image_columns.h"

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

ImageStreams streams_of(bool is_sparse) {
  ImageStreams streams;
  streams.streams = {{.name = "view", .element_type = ElementType::i32, .sample_shape = Shape{1}},
                     {.name = "image",
                      .element_type = ElementType::bytes,
                      .sample_shape = Shape{Shape::kVariable}},
                     {.name = "label", .element_type = ElementType::i64, .sample_shape = Shape{1}}};
  if (is_sparse) {
    streams.streams[2] = {.name = "label",
                          .element_type = ElementType::f64,
                          .sample_shape = Shape{9},
                          .storage = Storage::sparse,
                          .index_type = ElementType::i64};
  }
  streams.view = 0;
  streams.image = 1;
  streams.label = 2;
  return streams;
}

Buffer bytes_of(std::string_view text) {
  Buffer buffer = buffer_of_size(std::ssize(text));
  std::memcpy(buffer.mutable_data(), text.data(), text.size());
  return buffer;
}

std::string text_of(const SequenceView& view) {
  return {reinterpret_cast<const char*>(view.values), static_cast<std::size_t>(view.value_count)};
}

template <typename T>
T value_at(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

TEST(ImageColumns, ASequenceMayHaveAnyNumberOfImages) {
  const std::vector<ImageSequence> sequences = {
      {.location = 0, .size_bytes = 3, .class_id = 4, .frame_count = 2},
      {.location = 3, .is_hole = true, .frame_count = 3},
      {.location = 3, .size_bytes = 1, .class_id = 8}};
  const std::vector<std::int64_t> sizes = {1, 2, 1};
  const ImageStreams streams = streams_of(false);
  const Chunk chunk(streams.streams, 3, image_columns(streams, sequences, bytes_of("abbc"), sizes),
                    holes_of(sequences));
  EXPECT_EQ(text_of(chunk.view(1, 0)), "abb");
  EXPECT_EQ(chunk.view(1, 0).sample_count, 2);
  EXPECT_EQ(chunk.view(1, 0).extents[1], 2);
  EXPECT_EQ(chunk.view(1, 1).sample_count, 0);
  EXPECT_EQ(text_of(chunk.view(1, 2)), "c");
  EXPECT_EQ(chunk.view(1, 2).sample_count, 1);
  EXPECT_EQ(chunk.view(2, 0).sample_count, 1) << "one label for all images";
  EXPECT_EQ(value_at<std::int64_t>(chunk.view(2, 2).values), 8);
}

TEST(ImageColumns, HolesHaveNoSamplesAndViewsShareBytes) {
  const std::vector<ImageSequence> sequences = {
      {.location = 0, .size_bytes = 2, .class_id = 4, .view = 0},
      {.location = 0, .size_bytes = 2, .class_id = 4, .view = 1},
      {.is_hole = true},
      {.location = 3, .size_bytes = 1, .class_id = 8, .view = 2}};
  for (const bool is_sparse : {false, true}) {
    const ImageStreams streams = streams_of(is_sparse);
    const Chunk chunk(streams.streams, 4, image_columns(streams, sequences, bytes_of("ab-c")),
                      holes_of(sequences));
    EXPECT_EQ(text_of(chunk.view(1, 0)), "ab");
    EXPECT_EQ(text_of(chunk.view(1, 1)), "ab");
    EXPECT_EQ(text_of(chunk.view(1, 3)), "c");
    EXPECT_TRUE(chunk.is_hole(2));
    EXPECT_EQ(chunk.view(1, 2).sample_count, 0);
    EXPECT_EQ(chunk.view(2, 2).sample_count, 0);
    EXPECT_EQ(value_at<std::int32_t>(chunk.view(0, 3).values), 2);
    const SequenceView label = chunk.view(2, 3);
    EXPECT_EQ(value_at<std::int64_t>(is_sparse ? label.indices : label.values), 8);
    if (is_sparse) {
      EXPECT_EQ(value_at<double>(label.values), 1.0);
    }
  }
}

TEST(ImageColumns, ConsecutiveImagesNeedNoOffsets) {
  const std::vector<ImageSequence> sequences = {{.location = 0, .size_bytes = 2},
                                                {.location = 2, .size_bytes = 0},
                                                {.location = 2, .size_bytes = 2}};
  const ImageStreams streams = streams_of(false);
  const auto columns = image_columns(streams, sequences, bytes_of("abcd"));
  EXPECT_TRUE(columns[1].value_byte_offsets.empty());
  EXPECT_TRUE(columns[1].sequence_offsets.empty());
  std::int64_t memory_bytes = 0;
  for (const Column& each : columns) memory_bytes += each.memory_bytes();
  EXPECT_LE(memory_bytes, 4 + 3 * image_overhead_bytes(streams));
}

}  // namespace
}  // namespace sheaf::internal
