#include "format/columns/column_sizes.h"

#include <gtest/gtest.h>

#include "format/columns/arrow_tables.h"

namespace sheaf::columns {
namespace {

ColumnSizes sizes_of(const ArrowNode& node, std::int64_t count) {
  ArrowSchema schema = {};
  ArrowArray array = {};
  export_schema(node, schema);
  export_array(node, nullptr, array);
  StreamColumn column{.type = column_type_of(schema).type};
  column.stream.sample_shape = Shape{1};
  if (column.type.kind == ColumnType::Kind::bytes) {
    column.stream.element_type = ElementType::bytes;
    column.stream.sample_shape = Shape{Shape::kVariable};
  }
  ColumnSizes sizes = column_sizes(column, {.array = &array, .first = 0, .count = count});
  schema.release(&schema);
  array.release(&array);
  return sizes;
}

using Counts = std::vector<std::int64_t>;

TEST(ColumnSizes, OfListsAreDifferencesOfOffsets) {
  const ArrowNode list = list_of({0, 2, 2, 3}, numbers_of<float>("f", {1, 2, 3}));
  EXPECT_EQ(sizes_of(list, 3).sample_counts, (Counts{2, 0, 1}));
}

TEST(ColumnSizes, NumbersHaveOneAndNullsHaveNone) {
  const ArrowNode numbers = with_validity(numbers_of<float>("f", {1, 2}), {true, false});
  EXPECT_EQ(sizes_of(numbers, 2).sample_counts, (Counts{1, 0}));
}

TEST(ColumnSizes, RowsWithWrongOffsetsHaveNoSamples) {
  const ArrowNode list = list_of({0, 4, 1, -1}, numbers_of<float>("f", {1, 2, 3}));
  EXPECT_EQ(sizes_of(list, 3).sample_counts, (Counts{0, 0, 0}));
}

TEST(ColumnSizes, ValuesAreNotNeeded) {
  ArrowNode list = list_of({0, 2, 2, 3}, numbers_of<float>("f", {1, 2, 3}));
  list.children[0].buffers[1] = nullptr;
  EXPECT_EQ(sizes_of(list, 3).sample_counts, (Counts{2, 0, 1}));
  ArrowNode texts = texts_of({"abc", "de"});
  texts.buffers[2] = nullptr;
  EXPECT_EQ(sizes_of(texts, 2).sample_counts, (Counts{1, 1}));
}

TEST(ColumnSizes, LongerValuesTakeMoreMemory) {
  EXPECT_EQ(sizes_of(texts_of({"abc", "de"}), 2).decoded_size_bytes + 3,
            sizes_of(texts_of({"abcdef", "de"}), 2).decoded_size_bytes);
  EXPECT_EQ(sizes_of(views_of({"abc", "de"}), 2).decoded_size_bytes + 20,
            sizes_of(views_of({"abc", "0123456789012345678901"}), 2).decoded_size_bytes);
}

}  // namespace
}  // namespace sheaf::columns
