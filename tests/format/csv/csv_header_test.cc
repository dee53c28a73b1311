#include "format/csv/csv_header.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/csv/csv_test_files.h"
#include "support/error_of.h"

namespace sheaf::csv {
namespace {

using testing::error_of;

TEST(CsvHeader, HasTheColumnNamesAndTheFirstDataRow) {
  const Beginning two = beginning_of("\xEF\xBB\xBF\r\n\na,\"b\nc\"\r\n\n1,2\n");
  EXPECT_EQ(two.columns, (std::vector<std::string>{"a", "b\nc"}));
  EXPECT_EQ(two.offset, 16);
  EXPECT_EQ(two.line, 6);
  const Beginning numbered = beginning_of("\n7,8,9\n", options_with({{"csv.header", "no"}}));
  EXPECT_EQ(numbered.columns, (std::vector<std::string>{"c0", "c1", "c2"}));
  EXPECT_EQ(numbered.offset, 1);
  EXPECT_EQ(numbered.line, 2);
}

TEST(CsvHeader, TheExtensionSelectsTheDelimiter) {
  EXPECT_EQ(beginning_of("a\tb,c\n1\t2\n", {}, "t.TSV.gz").columns,
            (std::vector<std::string>{"a", "b,c"}));
  EXPECT_EQ(beginning_of("a|b,c\n1|2\n", options_with({{"csv.delimiter", "pipe"}})).columns,
            (std::vector<std::string>{"a", "b,c"}));
}

TEST(CsvHeader, RefusesOtherFiles) {
  struct Case {
    std::string text;
    std::string error;
  };
  const Case cases[] = {
      {"", "t.csv:1:1: error: expected at least one row of data, found an empty file [csv-empty]"},
      {"\n\r\n",
       "t.csv:1:1: error: expected at least one row of data, found blank lines alone [csv-empty]"},
      {"a,b\n\n",
       "t.csv:1:1: error: expected at least one row of data, found a header alone [csv-empty]"},
      {"a,,b\n",
       "t.csv:1:3: error: expected a name for the column, found none for column 2 [csv-name]\n"
       "  a,,b\n    ^\n  csv.header=no (--format-option csv.header=no) reads files whose first row "
       "has data"},
      {"a,b,\"a\"\n",
       "t.csv:1:5: error: expected a name that no other column has, found \"a\", the name of "
       "columns 1 and 3 [csv-same-name]\n  a,b,\"a\"\n      ^"},
      {"a;b\n1;2\n",
       "t.csv:1:1: error: expected a row of cells parted by comma, found one cell that has 1 "
       "semicolon: \"a;b\" [csv-delimiter]\n  a;b\n  ^\n  csv.delimiter=semicolon (--format-option "
       "csv.delimiter=semicolon) parts cells there; csv.delimiter=comma reads one column"},
      {"a,\"b\n1,2\n",
       "t.csv:1:3: error: expected a quote that ends the cell, found \"\\\"b\\n1,2\\n\" "
       "[csv-unclosed]\n  a,\"b\n    ^"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(error_of<DataError>([&] { static_cast<void>(beginning_of(c.text)); }), c.error);
  }
  EXPECT_EQ(beginning_of("a;b\n1;2\n", options_with({{"csv.delimiter", "comma"}})).columns.size(),
            1U);
}

TEST(CsvHeader, SuggestsTheNearestNameForAnUnknownColumn) {
  const Beginning beginning = beginning_of("label,x0,x1\n1,2,3\n");
  EXPECT_EQ(beginning.find("x1"), 2);
  EXPECT_EQ(error_of<DataError>([&] { refuse_name(beginning, "csv.key", "lable"); }),
            "t.csv:1:1: error: expected a column \"lable\", which csv.key names, found \"label\", "
            "\"x0\", \"x1\" [csv-column]\n  label,x0,x1\n  ^\n  did you mean \"label\"?");
}

}  // namespace
}  // namespace sheaf::csv
