// Edge cases of decoding a single column. table_deserializer_test.cc tests the types.

#include "format/columns/column_decoder.h"

#include <gtest/gtest.h>

#include "format/columns/arrow_tables.h"

namespace sheaf::columns {
namespace {

struct Decoded {
  Column column;
  std::vector<WrongRow> wrong;
};

Decoded decoded(const ArrowNode& node, std::vector<std::int64_t> holes, bool borrows) {
  Taken<ArrowSchema> schema = nothing_taken<ArrowSchema>();
  export_schema(node, *schema);
  Taken<ArrowArray> array = nothing_taken<ArrowArray>();
  export_array(node, nullptr, *array);
  const std::shared_ptr<const ArrowArray> owner = std::move(array);
  StreamColumn column{.type = column_type_of(*schema).type};
  column.stream.element_type = column.type.element_type();
  column.stream.sample_shape = Shape{1};
  Decoded result;
  result.column = decode_column(
      column,
      {.array = owner.get(), .first = 0, .count = node.length, .owner = borrows ? owner : nullptr},
      holes, result.wrong);
  return result;
}

std::vector<std::int32_t> values_of(const Column& column) {
  const auto values = column.values.as<std::int32_t>();
  return {values.begin(), values.end()};
}

TEST(ColumnDecoder, HolesHaveNoSamples) {
  const ArrowNode node = numbers_of<std::int32_t>("i", {1, 2, 3, 4});
  const Decoded all = decoded(node, {}, true);
  EXPECT_TRUE(all.column.sequence_offsets.empty());
  EXPECT_EQ(values_of(all.column), (std::vector<std::int32_t>{1, 2, 3, 4}));
  const Decoded some = decoded(node, {0, 2}, true);
  EXPECT_EQ(values_of(some.column), (std::vector<std::int32_t>{2, 4}));
  const auto offsets = some.column.sequence_offsets.as<std::int64_t>();
  EXPECT_EQ(std::vector<std::int64_t>(offsets.begin(), offsets.end()),
            (std::vector<std::int64_t>{0, 0, 1, 1, 2}));
  EXPECT_TRUE(some.wrong.empty());
}

TEST(ColumnDecoder, CopiesArraysWithoutAnOwner) {
  const ArrowNode node = numbers_of<std::int32_t>("i", {1, 2, 3, 4});
  EXPECT_EQ(decoded(node, {}, true).column.values.capacity_bytes(), 0);
  const Decoded copied = decoded(node, {}, false);
  EXPECT_GT(copied.column.values.capacity_bytes(), 0);
  EXPECT_EQ(values_of(copied.column), (std::vector<std::int32_t>{1, 2, 3, 4}));
}

TEST(ColumnDecoder, ValuesUnderNullsAreIgnored) {
  const ArrowNode list = with_validity(
      list_of({0, 1, 3, 4}, numbers_of<std::int32_t>("i", {1, 2, 3, 4})), {true, false, true});
  EXPECT_EQ(values_of(decoded(list, {}, true).column), (std::vector<std::int32_t>{1, 4}));
}

TEST(ColumnDecoder, MisalignedValuesAreCopied) {
  std::vector<std::uint8_t> bytes(13, 0);
  bytes[1] = 7;
  bytes[5] = 8;
  ArrowNode node{.format = "i", .length = 2, .buffers = {nullptr}};
  auto buffer = buffer_of(std::move(bytes));
  node.buffers.push_back(buffer->data() + 1);
  node.owned.push_back(buffer);
  const Decoded result = decoded(node, {}, true);
  EXPECT_GT(result.column.values.capacity_bytes(), 0);
  EXPECT_EQ(values_of(result.column), (std::vector<std::int32_t>{7, 8}));
}

TEST(ColumnDecoder, OnlyTheFirstErrorOfARowIsReported) {
  const ArrowNode list = list_of(
      {0, 2, 3}, with_validity(numbers_of<std::int32_t>("i", {1, 2, 3}), {false, false, true}));
  const Decoded result = decoded(list, {}, true);
  ASSERT_EQ(result.wrong.size(), 1U);
  EXPECT_EQ(result.wrong[0].row, 0);
}

}  // namespace
}  // namespace sheaf::columns
