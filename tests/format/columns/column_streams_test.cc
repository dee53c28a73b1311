#include "format/columns/column_streams.h"

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/columns/arrow_tables.h"

namespace sheaf::columns {
namespace {

MemoryBatches table_of(std::vector<ArrowNode> columns) {
  std::vector<ArrowNode> batches;
  batches.push_back(struct_of(std::move(columns)));
  return MemoryBatches(std::move(batches));
}

ArrowNode x_of_fixed() {
  return named("x", fixed_list_of(2, numbers_of<float>("f", {1, 2, 3, 4})));
}
ArrowNode y_of_list() {
  return named("y", list_of({0, 1, 4}, numbers_of<float>("f", {1, 2, 3, 4})));
}

std::string refusal(const MemoryBatches& table, const FormatOptions& options) {
  try {
    static_cast<void>(table_streams(table, options));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return {};
}

FormatOptions declaring(StreamOptions stream) {
  FormatOptions options;
  options.streams = {std::move(stream)};
  return options;
}

TEST(ColumnStreams, AliasesNameColumns) {
  const MemoryBatches table = table_of({x_of_fixed(), y_of_list()});
  const TableStreams streams =
      table_streams(table, declaring({.name = "z", .alias = "y", .defines_minibatch_size = true}));
  ASSERT_EQ(streams.columns.size(), 1U);
  EXPECT_EQ(streams.columns[0].number, 1);
  EXPECT_EQ(streams.columns[0].stream.name, "z");
  EXPECT_TRUE(streams.columns[0].stream.defines_minibatch_size);
}

TEST(ColumnStreams, AMissingColumnIsNamed) {
  const MemoryBatches table = table_of({x_of_fixed(), y_of_list()});
  EXPECT_EQ(refusal(table, declaring({.name = "yy"})),
            "stream \"yy\": t.arrow has no column \"yy\" (\"y\"?); the columns are \"x\", \"y\"");
}

TEST(ColumnStreams, ShapesMustFitTheType) {
  const MemoryBatches table = table_of({x_of_fixed(), y_of_list()});
  EXPECT_EQ(refusal(table, declaring({.name = "x", .sample_shape = Shape{1, 2}})), "");
  EXPECT_EQ(refusal(table, declaring({.name = "x", .sample_shape = Shape{3}})),
            "stream \"x\": the shape [3] does not fit column \"x\", whose samples have 2 values");
  EXPECT_NE(refusal(table, declaring({.name = "x", .sample_shape = Shape{Shape::kVariable}})), "");
  EXPECT_EQ(refusal(table, declaring({.name = "y", .sample_shape = Shape{3}})), "");
  EXPECT_EQ(refusal(table, declaring({.name = "y", .sample_shape = Shape{Shape::kVariable}})), "");
  EXPECT_EQ(
      refusal(table, declaring({.name = "y", .storage = Storage::sparse})),
      "stream \"y\": column \"y\" is dense; the transform one_hot makes sparse samples of ids");
}

TEST(ColumnStreams, NamesOfColumnsAreUnique) {
  EXPECT_EQ(refusal(table_of({x_of_fixed(), x_of_fixed()}), {}),
            "t.arrow: several columns have the name \"x\"");
}

TEST(ColumnStreams, UnsupportedOptionsAreRefused) {
  const MemoryBatches table = table_of({x_of_fixed()});
  EXPECT_NE(refusal(table, {.compatibility = Compatibility::cntk}), "");
  EXPECT_NE(refusal(table, {.skip_sequence_ids = true}), "");
  EXPECT_NE(refusal(table, {.chunk_size_bytes = 0}), "");
  EXPECT_NE(refusal(table, {.extra = {{"arrow.kee", "x"}}}), "");
}

TEST(ColumnStreams, TheCommonDtypeDoesNotApplyToBytes) {
  FormatOptions options;
  options.dtype = ElementType::f64;
  const TableStreams streams =
      table_streams(table_of({x_of_fixed(), named("t", texts_of({"a", "b"}))}), options);
  EXPECT_EQ(streams.columns[0].stream.element_type, ElementType::f64);
  EXPECT_EQ(streams.columns[1].stream.element_type, ElementType::bytes);
}

}  // namespace
}  // namespace sheaf::columns
