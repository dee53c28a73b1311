#include "core/column_writer.h"

#include <memory_resource>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

const Stream kSparse{.name = "y", .sample_shape = Shape{9}, .storage = Storage::sparse};

void add_sample(ColumnWriter& writer, int count) {
  writer.make_room(count);
  for (int i = 0; i < count; ++i) {
    writer.values<float>()[i] = static_cast<float>(10 * count + i);
    writer.indices<std::int32_t>()[i] = i;
  }
  writer.end_sample(count);
}

TEST(ColumnWriter, ASequenceCanBeCutBackAndBeAbsent) {
  ColumnWriter writer(kSparse);
  writer.begin_sequence();
  add_sample(writer, 2);
  writer.end_sequence(0, 3, true);
  writer.begin_sequence();
  add_sample(writer, 100);
  EXPECT_EQ(writer.samples_of_sequence(), 1);
  writer.cut_back();
  writer.end_sequence(1, 3, false);
  writer.begin_sequence();
  add_sample(writer, 1);
  add_sample(writer, 0);
  writer.end_sequence(2, 3, true);
  std::vector<Column> columns;
  columns.push_back(writer.finish());

  const Chunk chunk(std::vector{kSparse}, 3, std::move(columns));
  EXPECT_EQ(chunk.view(0, 0).value_count, 2);
  EXPECT_FALSE(chunk.view(0, 1).is_present);
  EXPECT_EQ(chunk.view(0, 1).sample_count, 0);
  const SequenceView last = chunk.view(0, 2);
  EXPECT_EQ(last.sample_count, 2);
  EXPECT_EQ(last.value_count, 1);
  EXPECT_EQ(*reinterpret_cast<const float*>(last.values), 10.0F);
}

TEST(ColumnWriter, WhatAllColumnsHaveAlikeTakesNoMemory) {
  ColumnWriter writer(kSparse);
  for (int i = 0; i < 500; ++i) {
    writer.begin_sequence();
    for (int t = 0; t <= i % 2; ++t) {
      writer.make_room(1);
      *writer.values<float>() = 1.0F;
      *writer.indices<std::int32_t>() = t;
      writer.end_sample(1);
    }
    writer.end_sequence(i, 500, true);
  }
  std::vector<Column> columns;
  columns.push_back(writer.finish());
  EXPECT_EQ(columns[0].sample_offsets.capacity_bytes(), 0);
  EXPECT_EQ(columns[0].values.capacity_bytes(), 0);
  const Chunk chunk(std::vector{kSparse}, 500, std::move(columns));
  const SequenceView last = chunk.view(0, 499);
  EXPECT_EQ(last.sample_count, 2);
  EXPECT_EQ(last.value_count, 2);
  EXPECT_EQ(reinterpret_cast<const float*>(last.values)[1], 1.0F);
  EXPECT_EQ(reinterpret_cast<const std::int32_t*>(last.indices)[1], 1);
}

TEST(ColumnWriter, ArraysMoveToTheMemoryThatIsGiven) {
  std::pmr::monotonic_buffer_resource memory;
  std::vector<ColumnWriter> writers;
  writers.emplace_back(kSparse);
  for (int i = 0; i < 10; ++i) {
    writers[0].begin_sequence();
    add_sample(writers[0], 1 + i % 3);
    add_sample(writers[0], 2);
    writers[0].end_sequence(i, 10, i != 4);
  }
  std::vector<Column> columns = finished(writers, &memory);
  ASSERT_EQ(columns.size(), 1U);
  EXPECT_EQ(columns[0].values.capacity_bytes(), columns[0].values.size_bytes());
  EXPECT_EQ(columns[0].indices.capacity_bytes(), columns[0].indices.size_bytes());
  const Chunk chunk(std::vector{kSparse}, 10, std::move(columns));
  for (int i = 0; i < 10; ++i) {
    const SequenceView view = chunk.view(0, i);
    EXPECT_EQ(view.is_present, i != 4);
    EXPECT_EQ(view.value_count, 3 + i % 3);
    EXPECT_EQ(*reinterpret_cast<const float*>(view.values), static_cast<float>(10 + 10 * (i % 3)));
  }
}

TEST(ColumnWriter, RoomForTimesWhatThereIsKeepsWhatThereIs) {
  ColumnWriter writer(kSparse);
  writer.begin_sequence();
  add_sample(writer, 40);
  add_sample(writer, 2);
  writer.end_sequence(0, 1, true);
  writer.reserve_times(10.5);
  EXPECT_TRUE(writer.has_room(399));
  writer.begin_sequence();
  add_sample(writer, 3);
  writer.end_sequence(1, 2, true);
  std::vector<Column> columns;
  columns.push_back(writer.finish());
  EXPECT_GE(columns[0].sequence_offsets.capacity_bytes(), 21 * 8);

  const Chunk chunk(std::vector{kSparse}, 2, std::move(columns));
  EXPECT_EQ(reinterpret_cast<const float*>(chunk.view(0, 0).values)[39], 439.0F);
  EXPECT_EQ(chunk.view(0, 0).value_count, 42);
  EXPECT_EQ(*reinterpret_cast<const float*>(chunk.view(0, 1).values), 30.0F);
}

TEST(ColumnWriter, OneSampleASequenceNeedsNoOffsets) {
  ColumnWriter writer(kSparse);
  for (int i = 0; i < 3; ++i) {
    writer.begin_sequence();
    add_sample(writer, i);
    writer.end_sequence(i, 3, true);
  }
  const Column column = writer.finish();
  EXPECT_TRUE(column.sequence_offsets.empty());
  EXPECT_TRUE(column.presence.empty());
  EXPECT_EQ(column.values.size_bytes(), 12);
}

}  // namespace
}  // namespace sheaf::internal
