#include "format/columns/array_size.h"

#include <gtest/gtest.h>

#include "format/columns/arrow_tables.h"

namespace sheaf::columns {
namespace {

std::int64_t size_of_node(const ArrowNode& node) {
  Taken<ArrowSchema> schema = nothing_taken<ArrowSchema>();
  Taken<ArrowArray> array = nothing_taken<ArrowArray>();
  export_schema(node, *schema);
  export_array(node, nullptr, *array);
  return array_size_bytes(*schema, *array);
}

TEST(ArraySize, NumbersTakeTheirWidth) {
  EXPECT_EQ(size_of_node(numbers_of<std::int8_t>("c", {1, 2, 3})), 3);
  EXPECT_EQ(size_of_node(numbers_of<std::int16_t>("s", {1, 2, 3})), 6);
  EXPECT_EQ(size_of_node(numbers_of<float>("f", {1, 2, 3})), 12);
  EXPECT_EQ(size_of_node(numbers_of<double>("g", {1, 2, 3})), 24);
  EXPECT_EQ(size_of_node(numbers_of<std::uint8_t>("w:1", {1, 2, 3})), 3);
  EXPECT_EQ(size_of_node(numbers_of<std::int32_t>("i", {})), 0);
}

TEST(ArraySize, ListsAndTextsTakeTheBytesBetweenTheirOffsets) {
  const ArrowNode list = list_of({0, 2, 5}, numbers_of<std::int64_t>("l", {1, 2, 3, 4, 5}));
  EXPECT_EQ(size_of_node(list), 2 * 4 + 5 * 8);
  EXPECT_EQ(size_of_node(slice_of(list, 1, 1)), 1 * 4 + 3 * 8);
  EXPECT_EQ(size_of_node(large_list_of({0, 1}, numbers_of<float>("f", {1}))), 8 + 4);
  EXPECT_EQ(size_of_node(fixed_list_of(2, numbers_of<float>("f", {1, 2, 3, 4}))), 16);
  EXPECT_EQ(size_of_node(texts_of({"abc", "", "de"})), 3 * 4 + 5);
  EXPECT_EQ(size_of_node(views_of({"abc"})), 16);
}

TEST(ArraySize, StructsTakeTheSumOfTheirColumns) {
  const ArrowNode rows = struct_of(
      {named("x", numbers_of<float>("f", {1, 2, 3})), named("y", texts_of({"a", "b", "cd"}))});
  EXPECT_EQ(size_of_node(rows), 12 + 12 + 4);
  ArrowNode part = rows;
  part.offset = 1;
  part.length = 2;
  EXPECT_EQ(size_of_node(part), 8 + 8 + 3);
}

}  // namespace
}  // namespace sheaf::columns
