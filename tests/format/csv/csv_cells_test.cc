#include "format/csv/csv_cells.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace sheaf::csv {
namespace {

TEST(CsvCells, MayBeQuoted) {
  struct Case {
    std::string_view row;
    std::string_view text;
    std::ptrdiff_t next;
    std::string_view code;  // empty if nothing is wrong
    std::ptrdiff_t location;
  };
  const Case cases[] = {
      {"", "", 0, "", 0},                         // the last cell of a row may be empty
      {",b", "", 0, "", 0},                       //
      {"a,b", "a", 1, "", 0},                     //
      {"a", "a", 1, "", 0},                       //
      {"\"a,b\",c", "a,b", 5, "", 0},             // a delimiter in quotes
      {"\"a\nb\"", "a\nb", 5, "", 0},             // a line end in quotes
      {"\"\"", "", 2, "", 0},                     //
      {"\"\"\"\"", "\"", 4, "", 0},               // only a doubled quote
      {"\"a\"\"b\"\"\",c", "a\"b\"", 8, "", 0},   //
      {"\"a", "a", 2, "csv-unclosed", 0},         //
      {"\"a\"\"", "a\"", 4, "csv-unclosed", 0},   // the last quote is half of a doubled one
      {"\"a\"b,c", "a", 4, "csv-quote", 3},       //
      {"a\"b\",c", "a\"b\"", 4, "csv-quote", 1},  //
      {" \"b\",c", " \"b\"", 4, "csv-quote", 1},  // a blank begins no quoted cell
      {"a\rb,c", "a\rb", 3, "csv-line-end", 1},   //
      {"a\"\rb,c", "a\"\rb", 4, "csv-quote", 1},  // the first of two errors
      {"\"a\rb\",c", "a\rb", 5, "", 0},           //
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.row);
    const Cell cell = lex_cell(c.row.data(), c.row.data() + c.row.size(), ',');
    std::string text = "x";
    append_text(cell, text);
    EXPECT_EQ(text, "x" + std::string(c.text));
    EXPECT_EQ(text_size(cell), std::ssize(c.text));
    EXPECT_EQ(cell.next - c.row.data(), c.next);
    EXPECT_EQ(cell.problem == nullptr ? "" : cell.problem->code, c.code);
    EXPECT_EQ(cell.problem == nullptr ? 0 : cell.problem_location - c.row.data(), c.location);
  }
}

TEST(CsvCells, FindsTheLineOfALocationInARow) {
  const std::string text = "a,\"b\r\nc\nd\",e";
  const Row row{.begin = text.data(), .end = text.data() + text.size(), .offset = 10, .line = 3};
  const auto line_at = [&](std::size_t i) {
    const Row line = line_of(row, text.data() + i);
    return std::to_string(line.line) + "@" + std::to_string(line.offset) + " " +
           std::string(line.text());
  };
  EXPECT_EQ(line_at(0), "3@10 a,\"b");
  EXPECT_EQ(line_at(5), "3@10 a,\"b");
  EXPECT_EQ(line_at(6), "4@16 c");
  EXPECT_EQ(line_at(8), "5@18 d\",e");
  EXPECT_EQ(line_at(text.size()), "5@18 d\",e");
}

}  // namespace
}  // namespace sheaf::csv
