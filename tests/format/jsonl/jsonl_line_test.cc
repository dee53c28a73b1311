#include "format/jsonl/jsonl_line.h"

#include <string>

#include <gtest/gtest.h>

#include "format/jsonl/jsonl_test_rows.h"

namespace sheaf::jsonl {
namespace {

TEST(JsonlLine, FieldsComeInTheOrderOfTheLine) {
  const TestLine line(
      R"( { "a" : 1, "b":[ "x", {} ], "c":null,"d":{"e":1}, "f":true,"\u0067":"","h":[] } )");
  ASSERT_TRUE(line.is_right());
  const auto fields = line.line().fields();
  ASSERT_EQ(fields.size(), 7U);
  const char* const names[] = {"a", "b", "c", "d", "f", "g", "h"};
  const Form forms[] = {Form::number,  Form::list, Form::null, Form::object,
                        Form::boolean, Form::text, Form::list};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    SCOPED_TRACE(names[i]);
    EXPECT_EQ(fields[i].name, names[i]);
    EXPECT_EQ(fields[i].form, forms[i]);
    EXPECT_EQ(*fields[i].quote, '"');
    EXPECT_EQ(*fields[i].name_end, '"');
    EXPECT_FALSE(fields[i].is_repeated);
  }
  EXPECT_EQ(line.column(fields[0].quote), 4);
  EXPECT_EQ(line.column(fields[0].value), 10);
  EXPECT_EQ(fields[1].count, 2);
  EXPECT_EQ(fields[1].first, '"');
  EXPECT_EQ(fields[6].count, 0);
  EXPECT_EQ(fields[6].first, '\0');
  EXPECT_EQ(line.line().find("d"), &fields[3]);
  EXPECT_EQ(line.line().find("e"), nullptr);
}

TEST(JsonlLine, RepeatedNamesAreFoundAmongFewAndManyFields) {
  for (const int count : {2, 11, 12, 13, 40}) {  // around the number of fields where the search
                                                 // changes
    SCOPED_TRACE(count);
    std::string text = "{";
    for (int i = 0; i < count - 1; ++i) text += "\"f" + std::to_string(i) + "\":1,";
    const TestLine good(text + "\"last\":1}");
    ASSERT_TRUE(good.is_right());
    for (const Field& field : good.line().fields()) EXPECT_FALSE(field.is_repeated);
    const TestLine bad(text + "\"\\u00660\":1}");  // "f0"
    ASSERT_TRUE(bad.is_right());
    for (int i = 0; i < count; ++i) {
      EXPECT_EQ(bad.line().fields()[static_cast<std::size_t>(i)].is_repeated, i == count - 1);
    }
  }
}

// simdjson processes 64 bytes at a time.
TEST(JsonlLine, WrongBytesAreFoundAnywhere) {
  Line line;
  for (int size = 0; size < 140; ++size) {
    SCOPED_TRACE(size);
    const std::string front = "{\"a\":\"" + std::string(static_cast<std::size_t>(size), 'x');
    const TestRow good(front + "\"}");
    EXPECT_TRUE(line.read(good.row()));
    for (const std::string wrong : {"\x01", "\xC3", "\\q", "\\ud800"}) {
      const TestRow bad(front + wrong + "\"}");
      EXPECT_FALSE(line.read(bad.row()));
      EXPECT_EQ(line.fault().begin - bad.row().begin, std::ssize(front));
    }
    const TestRow open(front);
    EXPECT_FALSE(line.read(open.row()));
    EXPECT_EQ(line.fault().kind, &kText);
    const TestRow more(front + "\"},");
    EXPECT_FALSE(line.read(more.row()));
    EXPECT_EQ(line.fault().begin, more.row().end - 1);
  }
}

TEST(JsonlLine, ContinuesAfterAWrongOrLongLine) {
  Line line;
  const TestRow small(R"({"a":1})");
  const TestRow wrong(R"({"a":1)");
  const TestRow large("{\"a\":\"" + std::string(100'000, 'x') + "\"}");
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(line.read(small.row()));
    EXPECT_EQ(line.fields().size(), 1U);
    EXPECT_FALSE(line.read(wrong.row()));
    EXPECT_TRUE(line.read(large.row()));
    EXPECT_EQ(line.fields().size(), 1U);
  }
}

TEST(JsonlLine, LineSizeIsLimited) {
  const TestRow row(R"({"a":1})");
  EXPECT_TRUE(Line(8).read(row.row()));
  EXPECT_TRUE(Line(7).read(row.row()));
  Line line(6);
  EXPECT_FALSE(line.read(row.row()));
  EXPECT_EQ(line.fault().kind, &kSize);
  EXPECT_EQ(line.fault().begin, row.row().begin);
  EXPECT_EQ(line.fault().found, "7 bytes");
}

TEST(JsonlLine, NestingIsLimited) {
  for (const int depth : {kDepthMax - 1, kDepthMax, kDepthMax + 1}) {
    const auto lists = static_cast<std::size_t>(depth - 1);
    const TestLine line("{\"a\":" + std::string(lists, '[') + std::string(lists, ']') + "}");
    EXPECT_EQ(line.is_right(), depth <= kDepthMax) << depth;
  }
}

TEST(JsonlLine, BlankRowsHaveOnlySpaces) {
  EXPECT_TRUE(is_blank_row(TestRow("").row()));
  EXPECT_TRUE(is_blank_row(TestRow(" \t\r").row()));
  EXPECT_FALSE(is_blank_row(TestRow(" \v").row()));
  EXPECT_FALSE(is_blank_row(TestRow("  {").row()));
}

}  // namespace
}  // namespace sheaf::jsonl
