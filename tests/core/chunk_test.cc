#include "sheaf/extend/chunk.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

namespace sheaf {
namespace {

template <typename T>
Buffer buffer_of(std::initializer_list<T> values) {
  Buffer buffer;
  for (const T value : values) buffer.push_back(value);
  return buffer;
}

template <typename T>
std::vector<T> list(const std::byte* data, std::int64_t count) {
  const auto* values = reinterpret_cast<const T*>(data);
  return {values, values + count};
}

TEST(Chunk, ViewsASequenceOfADenseStream) {
  const std::vector<Stream> streams = {{.name = "x", .sample_shape = {2}}};
  std::vector<Column> columns(1);
  columns[0].values = buffer_of<float>({1, 2, 3, 4, 5, 6});
  columns[0].sequence_offsets = buffer_of<std::int64_t>({0, 1, 1, 3});
  const Chunk chunk(streams, 3, std::move(columns), {1});

  const SequenceView view = chunk.view(0, 2);
  EXPECT_EQ(view.sample_count, 2);
  EXPECT_EQ(view.value_count, 4);
  EXPECT_EQ(list<float>(view.values, 4), (std::vector<float>{3, 4, 5, 6}));
  EXPECT_EQ(view.indices, nullptr);
  EXPECT_EQ(view.sample_offsets, nullptr);
  EXPECT_FALSE(chunk.is_hole(0));
  EXPECT_TRUE(chunk.is_hole(1));
  EXPECT_EQ(chunk.view(0, 1).sample_count, 0);
}

TEST(Chunk, NeedsNoOffsetsForSequencesOfOneSample) {
  const std::vector<Stream> streams = {
      {.name = "y", .sample_shape = {10}, .storage = Storage::sparse}};
  std::vector<Column> columns(1);
  columns[0].values = buffer_of<float>({1, 2, 3});
  columns[0].indices = buffer_of<std::int32_t>({7, 0, 9});
  columns[0].sample_offsets = buffer_of<std::int64_t>({0, 1, 3});
  const Chunk chunk(streams, 2, std::move(columns));

  const SequenceView view = chunk.view(0, 1);
  EXPECT_EQ(view.sample_count, 1);
  EXPECT_EQ(view.value_count, 2);
  EXPECT_EQ(list<std::int32_t>(view.indices, 2), (std::vector<std::int32_t>{0, 9}));
  EXPECT_EQ(view.sample_offsets[1] - view.sample_offsets[0], 2);
}

TEST(Chunk, ViewsSamplesOfVariableShapeAndAbsentStreams) {
  const std::vector<Stream> streams = {
      {.name = "image", .element_type = ElementType::u8, .sample_shape = {Shape::kVariable, 2}}};
  std::vector<Column> columns(1);
  columns[0].values = buffer_of<std::uint8_t>({1, 2, 3, 4, 5, 6});
  columns[0].sample_offsets = buffer_of<std::int64_t>({0, 2, 6});
  columns[0].extents = buffer_of<std::int64_t>({1, 2, 2, 2});
  columns[0].sequence_offsets = buffer_of<std::int64_t>({0, 1, 1, 2});
  columns[0].presence = buffer_of<std::uint8_t>({1, 0, 1});
  const Chunk chunk(streams, 3, std::move(columns));

  EXPECT_TRUE(chunk.view(0, 0).is_present);
  EXPECT_FALSE(chunk.view(0, 1).is_present);
  const SequenceView view = chunk.view(0, 2);
  EXPECT_EQ(view.extents[0], 2);
  EXPECT_EQ(view.value_count, 4);
  EXPECT_EQ(list<std::uint8_t>(view.values, 4), (std::vector<std::uint8_t>{3, 4, 5, 6}));
}

// Returns bytes as they are in a file: a number before the values of each sequence, and indices
// after them.
Column column_with_byte_offsets() {
  const auto bytes = std::make_shared<std::vector<std::int32_t>>(
      std::vector<std::int32_t>{9, 1, 2, 30, 50, 9, 9, 3, 70});
  const auto borrowed = [&] { return Buffer::borrow(std::as_bytes(std::span(*bytes)), bytes); };
  Column column;
  column.values = borrowed();
  column.indices = borrowed();
  column.sample_offsets = buffer_of<std::int64_t>({0, 1, 2, 3});
  column.sequence_offsets = buffer_of<std::int64_t>({0, 2, 2, 3});
  column.value_byte_offsets = buffer_of<std::int64_t>({4, 20, 28});
  column.index_byte_offsets = buffer_of<std::int64_t>({12, 20, 32});
  return column;
}

const std::vector<Stream> kStreamWithByteOffsets = {{.name = "x",
                                                     .element_type = ElementType::i32,
                                                     .sample_shape = {100},
                                                     .storage = Storage::sparse}};

Chunk chunk_of(const std::vector<Stream>& streams, std::int64_t sequence_count, Column column) {
  std::vector<Column> columns;
  columns.push_back(std::move(column));
  return {streams, sequence_count, std::move(columns)};
}

TEST(Chunk, ViewsScatteredSequences) {
  const Chunk chunk = chunk_of(kStreamWithByteOffsets, 3, column_with_byte_offsets());
  const SequenceView first = chunk.view(0, 0);
  EXPECT_EQ(first.sample_count, 2);
  EXPECT_EQ(list<std::int32_t>(first.values, first.value_count), (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(list<std::int32_t>(first.indices, 2), (std::vector<std::int32_t>{30, 50}));
  EXPECT_EQ(chunk.view(0, 1).value_count, 0);
  const SequenceView last = chunk.view(0, 2);
  EXPECT_EQ(list<std::int32_t>(last.values, last.value_count), (std::vector<std::int32_t>{3}));
  EXPECT_EQ(list<std::int32_t>(last.indices, 1), (std::vector<std::int32_t>{70}));
}

// Compares every run of sequences in a chunk with the views of the sequences.
void expect_runs_as_views(const Chunk& chunk) {
  const auto same = [](const SequenceView& a, const SequenceView& b) {
    return a.values == b.values && a.indices == b.indices && a.sample_offsets == b.sample_offsets &&
           a.extents == b.extents && a.sample_count == b.sample_count &&
           a.value_count == b.value_count && a.is_present == b.is_present;
  };
  for (std::int64_t first = 0; first <= chunk.sequence_count(); ++first) {
    for (std::int64_t count = 0; first + count <= chunk.sequence_count(); ++count) {
      std::vector<SequenceView> views(static_cast<std::size_t>(count) + 1);
      chunk.write_views(0, first, count, views.data());
      EXPECT_TRUE(same(views.back(), SequenceView()));
      views.pop_back();
      chunk.append_views(0, first, count, views);
      ASSERT_EQ(std::ssize(views), 2 * count);
      for (std::int64_t i = 0; i < 2 * count; ++i) {
        EXPECT_TRUE(same(views[static_cast<std::size_t>(i)], chunk.view(0, first + i % count)))
            << first << ", " << count << ", " << i;
      }
    }
  }
}

TEST(Chunk, FillsTheViewsOfARunForEveryKindOfColumn) {
  for (const bool has_offsets : {false, true}) {
    for (const bool is_sparse : {false, true}) {
      for (const bool is_absent : {false, true}) {
        Stream stream{.name = "x", .sample_shape = {2}};
        Column column;
        column.values = buffer_of<float>({1, 2, 3, 4, 5, 6});
        if (is_sparse) {
          stream.storage = Storage::sparse;
          column.indices = buffer_of<std::int32_t>({0, 1, 0, 1, 0, 1});
          column.sample_offsets = buffer_of<std::int64_t>({0, 1, 1, 6});
        }
        if (has_offsets) column.sequence_offsets = buffer_of<std::int64_t>({0, 2, 2, 3});
        if (is_absent) column.presence = buffer_of<std::uint8_t>({1, 0, 1});
        Chunk chunk = chunk_of({stream}, 3, std::move(column));
        expect_runs_as_views(chunk);
        const Chunk moved = std::move(chunk);
        expect_runs_as_views(moved);
      }
    }
  }
  expect_runs_as_views(chunk_of(kStreamWithByteOffsets, 3, column_with_byte_offsets()));
}

TEST(Chunk, RefusesOffsetsOutsideTheBytes) {
  const auto make = [](const auto& change) {
    Column column = column_with_byte_offsets();
    change(column);
    static_cast<void>(chunk_of(kStreamWithByteOffsets, 3, std::move(column)));
  };
  EXPECT_NO_THROW(make([](Column&) {}));
  for (const std::int64_t last : {33, 36, -4, 1000}) {
    EXPECT_THROW(make([&](Column& column) {
                   column.value_byte_offsets.as_mutable<std::int64_t>()[2] = last;
                 }),
                 InternalError)
        << last;
    EXPECT_THROW(make([&](Column& column) {
                   column.index_byte_offsets.as_mutable<std::int64_t>()[2] = last;
                 }),
                 InternalError)
        << last;
  }
  EXPECT_THROW(make([](Column& column) { column.value_byte_offsets.resize(16); }), InternalError);
  EXPECT_THROW(make([](Column& column) { column.index_byte_offsets.resize(16); }), InternalError);
}

TEST(Chunk, KeepsTheTextsOfKeysUntilTheyAreDropped) {
  const std::vector<Stream> streams = {{.name = "x"}};
  std::vector<Column> columns(1);
  columns[0].values = buffer_of<float>({1, 2});
  Chunk chunk(streams, 2, std::move(columns));
  EXPECT_EQ(chunk.key_text(1), "");
  EXPECT_FALSE(chunk.has_key_texts());
  EXPECT_THROW(chunk.set_key_texts({"one"}), InternalError);
  chunk.set_key_texts({"", "two"});
  EXPECT_TRUE(chunk.has_key_texts());
  EXPECT_EQ(chunk.key_text(1), "two");
  chunk.drop_key_texts();
  EXPECT_FALSE(chunk.has_key_texts());
  EXPECT_EQ(chunk.key_text(1), "");
}

TEST(Chunk, KeepsTheLengthsOfTheOtherStreams) {
  const std::vector<Stream> streams = {{.name = "x"}};
  std::vector<Column> columns(1);
  columns[0].values = buffer_of<float>({1, 2});
  Chunk chunk(streams, 2, std::move(columns));
  EXPECT_EQ(chunk.described_count(1), std::nullopt);
  EXPECT_THROW(chunk.set_described_counts({1}), InternalError);
  const std::int64_t before = chunk.memory_bytes();
  chunk.set_described_counts({0, -1});
  EXPECT_EQ(chunk.described_count(0), 0);
  EXPECT_EQ(chunk.described_count(1), std::nullopt);
  EXPECT_EQ(chunk.memory_bytes(), before + 2 * std::int64_t{sizeof(std::int64_t)});
}

TEST(Chunk, HandsOverItsColumnsAndKeepsKeysAndHoles) {
  const std::vector<Stream> streams = {{.name = "x", .sample_shape = {1}}};
  std::vector<Column> columns(1);
  columns[0].values = buffer_of<float>({1, 2});
  Chunk chunk(streams, 2, std::move(columns), {1});
  chunk.set_key_texts({"a", "b"});
  const std::vector<Column> taken = chunk.take_columns();
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(list<float>(taken[0].values.data(), 2), (std::vector<float>{1, 2}));
  EXPECT_EQ(chunk.stream_count(), 0);
  EXPECT_EQ(chunk.sequence_count(), 2);
  EXPECT_TRUE(chunk.is_hole(1));
  EXPECT_EQ(chunk.key_text(1), "b");
}

TEST(Chunk, MovesSmallOwnedArrays) {
  const std::vector<Stream> streams = {{.name = "x", .sample_shape = {1}},
                                       {.name = "y", .sample_shape = {1}},
                                       {.name = "z", .sample_shape = {1}}};
  const auto bytes = std::make_shared<std::vector<std::byte>>(8);
  std::vector<Column> columns(3);
  columns[0].values.reserve(100);
  for (const float value : {1.F, 2.F}) columns[0].values.push_back(value);
  columns[1].values.reserve(101);
  for (const float value : {3.F, 4.F}) columns[1].values.push_back(value);
  columns[2].values = Buffer::borrow(*bytes, bytes);
  std::pmr::monotonic_buffer_resource memory;
  Chunk chunk(streams, 2, std::move(columns));
  const std::byte* const large = chunk.columns()[1].values.data();
  chunk.move_arrays(memory, 101);
  EXPECT_EQ(chunk.columns()[0].values.capacity_bytes(), std::int64_t{Buffer::kAlignment});
  EXPECT_EQ(list<float>(chunk.view(0, 1).values, 1), std::vector<float>{2});
  std::vector<SequenceView> views;
  chunk.append_views(0, 0, 2, views);
  EXPECT_EQ(views[1].values, chunk.columns()[0].values.data() + 4);
  EXPECT_EQ(chunk.columns()[1].values.data(), large);
  EXPECT_EQ(chunk.columns()[2].values.data(), bytes->data());
}

TEST(Chunk, RefusesInconsistentColumns) {
  const std::vector<Stream> streams = {{.name = "x", .sample_shape = {2}}};
  const auto make = [&](std::int64_t sequence_count, Column column) {
    std::vector<Column> columns;
    columns.push_back(std::move(column));
    return Chunk(streams, sequence_count, std::move(columns));
  };
  EXPECT_NO_THROW(make(1, {.values = buffer_of<float>({1, 2})}));
  EXPECT_THROW(make(1, {.values = buffer_of<float>({1})}), InternalError);
  EXPECT_THROW(make(2, {.values = buffer_of<float>({1, 2})}), InternalError);
  EXPECT_THROW(
      make(1, {.values = buffer_of<float>({1, 2}), .indices = buffer_of<std::int32_t>({1, 2})}),
      InternalError);
  EXPECT_THROW(make(1, {.values = buffer_of<float>({1, 2}),
                        .sequence_offsets = buffer_of<std::int64_t>({0})}),
               InternalError);
  EXPECT_THROW(Chunk(streams, 0, {}), InternalError);
}

}  // namespace
}  // namespace sheaf
