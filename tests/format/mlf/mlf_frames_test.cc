#include "format/mlf/mlf_frames.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "core/common_values.h"

namespace sheaf::mlf {
namespace {

using Runs = std::vector<Run>;

Stream sparse(ElementType type, ElementType index_type) {
  return {.name = "y",
          .element_type = type,
          .sample_shape = Shape{100},
          .storage = Storage::sparse,
          .index_type = index_type};
}

template <typename T>
std::vector<T> values_of(const Buffer& buffer) {
  const auto values = buffer.as<T>();
  return {values.begin(), values.end()};
}

// Tests empty runs, and runs of about the size of the groups in which ids are written.
TEST(MlfFrames, RunsOfAllLengthsAreExpanded) {
  for (const ElementType index_type : {ElementType::i32, ElementType::i64}) {
    const Stream stream = sparse(ElementType::f32, index_type);
    for (std::uint32_t first = 0; first < 12; ++first) {
      for (std::uint32_t second = 0; second < 12; ++second) {
        FrameWriter writer(stream, true);
        writer.reserve(0, 0);
        writer.add(first + second, Runs{{first, 7}, {second, 8}});
        writer.add_hole();
        writer.add(1, Runs{{1, 9}});
        const Column column = writer.finish();
        std::vector<std::int64_t> ids(first, 7);
        ids.insert(ids.end(), second, 8);
        ids.push_back(9);
        std::vector<float> values(ids.size(), 1);
        values[0] = values[first] = values.back() = 2;
        if (index_type == ElementType::i64) {
          EXPECT_EQ(values_of<std::int64_t>(column.indices), ids);
        } else {
          EXPECT_EQ(values_of<std::int32_t>(column.indices),
                    std::vector<std::int32_t>(ids.begin(), ids.end()));
        }
        EXPECT_EQ(values_of<float>(column.values), values) << first << ' ' << second;
        const std::int64_t end = std::int64_t{first} + second;
        EXPECT_EQ(values_of<std::int64_t>(column.sequence_offsets),
                  (std::vector<std::int64_t>{0, end, end, end + 1}));
        EXPECT_EQ(column.sample_offsets.size_bytes(),
                  (end + 2) * std::int64_t{sizeof(std::int64_t)});
      }
    }
  }
}

TEST(MlfFrames, OnesAndOffsetsAreShared) {
  for (const bool marks_boundaries : {false, true}) {
    const Stream stream = sparse(ElementType::f32, ElementType::i32);
    FrameWriter writer(stream, marks_boundaries);
    writer.reserve(5, 2);
    writer.add(2, Runs{{2, 7}});
    writer.add_hole();
    writer.add(3, Runs{{1, 7}, {2, 8}});
    const Column column = writer.finish();
    EXPECT_EQ(values_of<float>(column.values), marks_boundaries
                                                   ? (std::vector<float>{2, 1, 2, 2, 1})
                                                   : (std::vector<float>{1, 1, 1, 1, 1}));
    EXPECT_EQ(internal::is_common(column.values), !marks_boundaries);
    EXPECT_EQ(values_of<std::int64_t>(column.sample_offsets),
              (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
    EXPECT_TRUE(internal::is_common(column.sample_offsets));
  }
}

TEST(MlfFrames, IdsAreDense) {
  const Stream stream{.name = "y", .element_type = ElementType::i64, .sample_shape = Shape{1}};
  FrameWriter writer(stream, false);
  writer.reserve(3, 1);
  writer.add(3, Runs{{2, 65'535}, {1, 0}});
  const Column column = writer.finish();
  EXPECT_EQ(values_of<std::int64_t>(column.values), (std::vector<std::int64_t>{65'535, 65'535, 0}));
  EXPECT_TRUE(column.indices.empty());
  EXPECT_TRUE(column.sample_offsets.empty());
}

}  // namespace
}  // namespace sheaf::mlf
