#include "format/jsonl/jsonl_values.h"

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "format/jsonl/jsonl_test_rows.h"

namespace sheaf::jsonl {
namespace {

Stream dense_stream(ElementType type, std::int64_t dim) {
  return {.name = "x", .element_type = type, .sample_shape = Shape{dim}};
}

const Stream kTexts = {
    .name = "t", .element_type = ElementType::bytes, .sample_shape = Shape{Shape::kVariable}};

/// The column of a value, or its error.
struct Outcome {
  Column column;
  std::string code;
  std::int64_t column_number = 0;
  std::string expected;
  std::string found;
};

Outcome read(const Stream& stream, const std::string& json) {
  const TestLine line("{\"x\":" + json + "}");
  EXPECT_TRUE(line.is_right()) << json;
  internal::ColumnWriter writer(stream);
  writer.begin_sequence();
  Fault fault;
  if (!value_reader(stream)({line.field(), stream, line.row().end}, writer, fault)) {
    return {{},
            std::string(fault.kind->code),
            line.column(fault.begin) - 5,  // counted from the start of the value
            fault.expected,
            fault.found};
  }
  writer.end_sequence(0, 1, true);
  return {writer.finish(), "", 0, "", ""};
}

template <typename T>
std::vector<T> values_of(const Stream& stream, const std::string& json) {
  const Outcome outcome = read(stream, json);
  EXPECT_EQ(outcome.code, "") << json;
  const auto values = outcome.column.values.as<T>();
  return {values.begin(), values.end()};
}

TEST(JsonlValues, SamplesOfOneValueAreNumbersOrLists) {
  const Stream stream = dense_stream(ElementType::f32, 1);
  using Values = std::vector<float>;
  EXPECT_EQ(values_of<float>(stream, "1.5"), Values{1.5F});
  EXPECT_EQ(values_of<float>(stream, "[]"), Values{});
  EXPECT_EQ(values_of<float>(stream, "[1, 2.5 ,-3]"), (Values{1, 2.5F, -3}));
  EXPECT_EQ(values_of<float>(stream, "[[1],[ 2 ]]"), (Values{1, 2}));
  EXPECT_EQ(values_of<float>(stream, "true"), Values{1});
  EXPECT_EQ(values_of<float>(stream, "[false,true]"), (Values{0, 1}));
}

TEST(JsonlValues, NumbersAreRoundedOnce) {
  const Stream stream = dense_stream(ElementType::f32, 1);
  // Just above the middle of two floats. As a double, the number is the middle, which rounds down.
  EXPECT_EQ(values_of<float>(stream, "1.00000005960464477540"),
            std::vector<float>{std::bit_cast<float>(0x3F800001U)});
  const Stream whole = dense_stream(ElementType::i64, 1);
  EXPECT_EQ(values_of<std::int64_t>(whole, "[9007199254740993,-9223372036854775808]"),
            (std::vector<std::int64_t>{9007199254740993, INT64_MIN}));
}

TEST(JsonlValues, SamplesOfSeveralValuesAreLists) {
  const Stream stream = dense_stream(ElementType::i32, 2);
  using Values = std::vector<std::int32_t>;
  EXPECT_EQ(values_of<std::int32_t>(stream, "[[1,2],[3,4]]"), (Values{1, 2, 3, 4}));
  EXPECT_EQ(values_of<std::int32_t>(stream, "[5,6]"), (Values{5, 6}));
  EXPECT_EQ(values_of<std::int32_t>(stream, "[]"), Values{});
}

TEST(JsonlValues, TextsAreUnescapedBytes) {
  const Outcome outcome = read(kTexts, R"(["a\u00e9","","\n"])");
  EXPECT_EQ(outcome.code, "");
  const auto bytes = outcome.column.values.as<char>();
  EXPECT_EQ(std::string_view(bytes.data(), bytes.size()), "a\xC3\xA9\n");
  const auto extents = outcome.column.extents.as<std::int64_t>();
  EXPECT_EQ(std::vector<std::int64_t>(extents.begin(), extents.end()),
            (std::vector<std::int64_t>{3, 0, 1}));
  const Outcome one = read(kTexts, "\"a\"");  // one byte; no offsets are made before
  EXPECT_EQ(one.column.extents.as<std::int64_t>()[0], 1);
  EXPECT_EQ(one.column.sample_offsets.as<std::int64_t>()[1], 1);
}

TEST(JsonlValues, WrongValuesHaveALocation) {
  struct Case {
    Stream stream;
    std::string json;
    std::string code;
    std::int64_t column;
    std::string expected;
    std::string found;
  };
  const Stream one = dense_stream(ElementType::f32, 1);
  const Stream two = dense_stream(ElementType::f32, 2);
  const Stream byte = dense_stream(ElementType::u8, 1);
  const Case cases[] = {
      {one, "\"1\"", "jsonl-type", 1, "a number", "\"\\\"1\\\"\""},
      {one, "{}", "jsonl-type", 1, "a number", "an object"},
      {one, "[1,null]", "jsonl-type", 4, "a number", "\"null\""},
      {one, "[1,true]", "jsonl-type", 4, "a number", "\"true\""},
      {one, "[true,1]", "jsonl-type", 7, "true or false, as before", "\"1\""},
      {one, "[1,[2]]", "jsonl-type", 4, "a number", "a list"},
      {one, "[[1],2]", "jsonl-type", 6, "a list", "\"2\""},
      {one, "[[1],[]]", "jsonl-count", 6, "1 value", "0"},
      {one, "[[1,2]]", "jsonl-count", 2, "1 value", "2"},
      {two, "1", "jsonl-type", 1, "a list of 2 values, or of such lists", "\"1\""},
      {two, "[1]", "jsonl-count", 1, "2 values", "1"},
      {two, "[1,2,3]", "jsonl-count", 1, "2 values", "3"},
      {two, "[[1,2],[3]]", "jsonl-count", 8, "2 values", "1"},
      {two, "[[1,2],[true,3]]", "jsonl-type", 9, "a number", "\"true\""},
      {one, "1e39", "jsonl-number-range", 1, "a number within the range of f32", "\"1e39\""},
      {one, "16777217", "jsonl-inexact", 1, "a whole number that f32 holds exactly",
       "\"16777217\""},
      {byte, "[1,256]", "jsonl-number-range", 4, "a number within the range of u8", "\"256\""},
      {byte, "1.0", "jsonl-number", 1, "a whole number", "\"1.0\""},
      {byte, "1e0", "jsonl-number", 1, "a whole number", "\"1e0\""},
      {kTexts, "1", "jsonl-type", 1, "a text", "\"1\""},
      {kTexts, "[\"a\",[\"b\"]]", "jsonl-type", 6, "a text", "a list"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.json);
    const Outcome outcome = read(c.stream, c.json);
    EXPECT_EQ(outcome.code, c.code);
    EXPECT_EQ(outcome.column_number, c.column);
    EXPECT_EQ(outcome.expected, c.expected);
    EXPECT_EQ(outcome.found, c.found);
  }
}

TEST(JsonlValues, AHugeDimAllocatesNothing) {
  const Outcome outcome = read(dense_stream(ElementType::f64, std::int64_t{1} << 40), "[1,2]");
  EXPECT_EQ(outcome.code, "jsonl-count");
  EXPECT_EQ(outcome.found, "2");
}

}  // namespace
}  // namespace sheaf::jsonl
