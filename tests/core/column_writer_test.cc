#include "core/column_writer.h"

#include <cstddef>
#include <cstdint>
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

TEST(ColumnWriter, SamplesOfVariableShapeHaveExtents) {
  const Stream bytes{
      .name = "t", .element_type = ElementType::bytes, .sample_shape = Shape{Shape::kVariable}};
  for (const std::vector<std::int64_t>& sizes :
       {std::vector<std::int64_t>{1, 1}, {1, 0, 3}, {2}, {}}) {
    ColumnWriter writer(bytes);
    writer.begin_sequence();
    for (const std::int64_t size : sizes) {
      writer.make_room(size);
      writer.end_sample(size);
    }
    writer.end_sequence(0, 1, true);
    std::vector<Column> columns;
    columns.push_back(writer.finish());
    const Chunk chunk(std::vector{bytes}, 1, std::move(columns));
    const SequenceView view = chunk.view(0, 0);
    ASSERT_EQ(view.sample_count, std::ssize(sizes));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      EXPECT_EQ(view.extents[i], sizes[i]);
      EXPECT_EQ(view.sample_offsets[i + 1] - view.sample_offsets[i], sizes[i]);
    }
  }
}

TEST(ColumnWriter, ASequenceCanBeUndoneAndMarkedAbsent) {
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

TEST(ColumnWriter, CommonArraysTakeNoMemory) {
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

TEST(ColumnWriter, ReserveTimesKeepsTheContent) {
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

TEST(ColumnWriter, SequencesOfOneSampleNeedNoOffsets) {
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

/// Writes samples of one value each in one call.
void add_samples_of_one(ColumnWriter& writer, int count) {
  writer.make_room(count);
  for (int i = 0; i < count; ++i) {
    writer.values<float>()[i] = static_cast<float>(i);
    writer.indices<std::int32_t>()[i] = i;
  }
  writer.end_samples_of_one(count);
}

TEST(ColumnWriter, OffsetsAreWrittenFromTheFirstSampleWithoutOneValue) {
  for (const bool reserves : {false, true}) {
    for (const int other : {0, 2}) {
      ColumnWriter writer(kSparse);
      if (reserves) writer.reserve(100, 100);
      writer.begin_sequence();
      add_samples_of_one(writer, 3);
      add_sample(writer, 1);
      add_sample(writer, other);
      add_samples_of_one(writer, 2);
      add_samples_of_one(writer, 0);
      add_sample(writer, 1);
      writer.end_sequence(0, 1, true);
      const Column column = writer.finish();
      std::vector<std::int64_t> expected = {0, 1, 2, 3, 4};
      for (const int more : {other, other + 1, other + 2, other + 3}) {
        expected.push_back(4 + more);
      }
      const auto offsets = column.sample_offsets.as<std::int64_t>();
      EXPECT_EQ(std::vector(offsets.begin(), offsets.end()), expected);
      EXPECT_EQ(column.sample_offsets.capacity_bytes() >= std::int64_t{8} * 101, reserves);
    }
  }
}

TEST(ColumnWriter, OffsetsOfAnUndoneSequenceAreDropped) {
  ColumnWriter writer(kSparse);
  for (const int count : {1, 3, 1, 0, 1}) {  // samples with another number of values are cut
    writer.begin_sequence();
    add_samples_of_one(writer, 2);
    add_sample(writer, count);
    if (count != 1) writer.cut_back();
    writer.end_sequence(0, 5, true);
  }
  const Column column = writer.finish();
  EXPECT_EQ(column.sample_offsets.capacity_bytes(), 0) << "shared: all samples have one value";
  const auto offsets = column.sample_offsets.as<std::int64_t>();
  EXPECT_EQ(std::vector(offsets.begin(), offsets.end()),
            (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

}  // namespace
}  // namespace sheaf::internal
