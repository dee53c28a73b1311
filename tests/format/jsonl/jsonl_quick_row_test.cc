#include "format/jsonl/jsonl_quick_row.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "format/jsonl/jsonl_test_rows.h"

namespace sheaf::jsonl {
namespace {

/// A file of two streams of whole numbers, of which each row has any number.
class QuickRowTest : public ::testing::Test {
 protected:
  QuickRowTest() {
    for (const char* const name : {"a", "b"}) {
      Stream stream;
      stream.name = name;
      stream.element_type = ElementType::i32;
      stream.sample_shape = Shape{1};
      schema.streams.push_back(stream);
      schema.names.emplace_back(name);
      schema.numbers.emplace(name, std::ssize(schema.numbers));
    }
  }

  /// Parses a row, and lets `quick` learn its fields.
  static void learn(QuickRow& quick, std::string_view text) {
    const TestLine line(text);
    ASSERT_TRUE(line.is_right());
    quick.learn(line.line().fields());
  }

  /// Returns whether `quick` reads a row.
  bool reads(QuickRow& quick, std::string_view text) {
    const TestRow row(text);
    if (!quick.takes(row.row())) return false;
    columns = internal::column_writers(schema.streams);
    for (internal::ColumnWriter& column : columns) column.begin_sequence();
    return quick.read(row.row(), columns);
  }

  /// Returns whether a new object reads `second` after it learned `first`.
  bool reads_after(std::string_view first, std::string_view second, bool warns = false) {
    QuickRow quick(schema, warns);
    learn(quick, first);
    return reads(quick, second);
  }

  Schema schema;
  std::vector<internal::ColumnWriter> columns;
};

TEST_F(QuickRowTest, ReadsRowsWithTheSameFields) {
  QuickRow quick(schema, false);
  EXPECT_FALSE(reads(quick, R"({"a":1,"b":2})"));
  learn(quick, R"({"b": 1, "a": [2]})");
  EXPECT_TRUE(reads(quick, R"({"b":[3,4], "a":5})"));
  EXPECT_EQ(columns[0].samples_of_sequence(), 1);
  EXPECT_EQ(columns[1].samples_of_sequence(), 2);
  EXPECT_EQ(quick.is_present(), (std::vector<char>{1, 1}));
  EXPECT_TRUE(reads(quick, R"({ "b" : [] , "a" : 5 }  )"));
}

TEST_F(QuickRowTest, RefusesRowsOfAnotherForm) {
  constexpr std::string_view kFirst = R"({"a":1,"b":2})";
  for (const std::string_view row :
       {R"({"b":1,"a":2})", R"({"a":1})", R"({"a":1,"b":2,"c":3})", R"({"a":1,"a":2})", "{}",
        R"({"a":1,"b":2)", R"({"a":1,"b":2}})", R"({"a":1,"b":2} 7)", R"({"a":1 "b":2})",
        R"({"a" 1,"b":2})", R"({"a":1,"b":null})", R"({"a":1,"b":"2"})", R"({"A":1,"b":2})",
        R"({"a":1,"b":2,})", R"( {"a":1,"b":2})", "[1]", "7"}) {
    EXPECT_FALSE(reads_after(kFirst, row)) << row;
  }
  EXPECT_TRUE(reads_after(kFirst, kFirst));
}

// A blank would let the next line continue the row.
TEST_F(QuickRowTest, ARowEndsWithItsLine) {
  const std::string text = "{\"a\":1,\n\"b\":2}";
  TestRow both(text);
  Row first = both.row();
  first.end = first.begin + text.find('\n');
  QuickRow quick(schema, false);
  learn(quick, R"({"a":1,"b":2})");
  columns = internal::column_writers(schema.streams);
  ASSERT_TRUE(quick.takes(first));
  EXPECT_FALSE(quick.read(first, columns));
}

TEST_F(QuickRowTest, LearnsAgainAfterARowThatItRefused) {
  QuickRow quick(schema, false);
  learn(quick, R"({"a":1,"b":2})");
  EXPECT_FALSE(reads(quick, R"({"b":1,"a":2})"));
  EXPECT_FALSE(reads(quick, R"({"b":1,"a":2})")) << "nothing was learned";
  learn(quick, R"({"b":1,"a":2})");
  EXPECT_TRUE(reads(quick, R"({"b":1,"a":2})"));
}

TEST_F(QuickRowTest, GivesUpIfMostRowsDiffer) {
  QuickRow quick(schema, false);
  std::int64_t read_count = 0;
  for (int i = 0; i < 200; ++i) {
    learn(quick, R"({"a":1,"b":2})");
    read_count += reads(quick, R"({"b":1,"a":2})") ? 1 : 0;
  }
  learn(quick, R"({"a":1,"b":2})");
  EXPECT_EQ(read_count, 0);
  EXPECT_FALSE(reads(quick, R"({"a":1,"b":2})"));
}

TEST_F(QuickRowTest, MissingStreamsAreReadIfTheyAreAllowed) {
  QuickRow refusing(schema, false);
  for (const std::string_view row : {R"({"a":1})", R"({"a":2})"}) {  // the second has known fields
    learn(refusing, row);
    EXPECT_FALSE(reads(refusing, R"({"a":3})"));
  }
  schema.allows_missing = true;
  QuickRow quick(schema, false);
  learn(quick, R"({"b":1})");
  EXPECT_TRUE(reads(quick, R"({"b":2})"));
  EXPECT_EQ(quick.is_present(), (std::vector<char>{0, 1}));
}

TEST_F(QuickRowTest, OtherFieldsAreReadUnlessTheyNeedAWarning) {
  constexpr std::string_view kRow = R"({"a":1,"other":"a text","b":2})";
  EXPECT_TRUE(reads_after(kRow, kRow));
  EXPECT_FALSE(reads_after(kRow, kRow, true));
  EXPECT_FALSE(reads_after(kRow, R"({"a":1,"other":[1],"b":2})"));
}

TEST_F(QuickRowTest, FindsTheFieldWithTheKey) {
  schema.key_mode = KeyMode::texts;
  schema.key_field = "id";
  for (const std::string_view row : {R"({"id": "k7" ,"a":1,"b":2})", R"({"a":1,"id":"k7","b":2})",
                                     R"({"a":1,"b":2,"id":"k7"})"}) {
    QuickRow quick(schema, /*warns=*/true);  // the key needs no warning
    learn(quick, row);
    columns = internal::column_writers(schema.streams);
    for (internal::ColumnWriter& column : columns) column.begin_sequence();
    const TestRow text(row);
    ASSERT_TRUE(quick.takes(text.row()));
    ASSERT_TRUE(quick.read(text.row(), columns)) << row;
    EXPECT_EQ(quick.key().form, Form::text);
    EXPECT_EQ(quick.key().value, text.row().begin + row.find("\"k7\""));
  }
  constexpr std::string_view kFirst = R"({"id":1,"a":1,"b":2})";
  EXPECT_TRUE(reads_after(kFirst, R"({"id":-2,"a":1,"b":2})"));
  for (const std::string_view id : {"true", "null", "[1]", "x", R"("\n")"}) {
    EXPECT_FALSE(reads_after(kFirst, "{\"id\":" + std::string(id) + R"(,"a":1,"b":2})")) << id;
  }
}

TEST_F(QuickRowTest, RowsWithoutTheirKeyAreLeftToLine) {
  schema.key_mode = KeyMode::numbers;
  schema.key_field = "id";
  EXPECT_FALSE(reads_after(R"({"a":1,"b":2})", R"({"a":1,"b":2})"));
}

TEST_F(QuickRowTest, VeryLongRowsAreLeftToLine) {
  std::string row = R"({"a":[1)";
  while (row.size() < std::size_t{1} << 20) row += ",1";
  row += R"(],"b":2})";
  EXPECT_FALSE(reads_after(R"({"a":1,"b":2})", row));
}

}  // namespace
}  // namespace sheaf::jsonl
