#include "format/csv/csv_parser.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "format/csv/csv_test_files.h"

namespace sheaf::csv {
namespace {

TEST(CsvParser, ErrorsShowTheLocationAndAHint) {
  struct Case {
    std::string text;
    Extra extra;
    std::string error;
  };
  const Case cases[] = {
      {"a,b\n1,\n",
       {},
       "t.csv:2:3: error: stream \"b\": expected a value, found \"\" [csv-missing]\n  1,\n    ^\n"
       "  csv.missing (--format-option csv.missing=absent, nan or a number) says what a missing "
       "value is"},
      {"a,b\n1\n", {}, "t.csv:2:2: error: expected 2 cells, found 1 [csv-cells]\n  1\n   ^"},
      {"a,b\n1,2,3,4\n",
       {},
       "t.csv:2:5: error: expected 2 cells, found 4 [csv-cells]\n  1,2,3,4\n      ^~~"},
      {"a,b\n1,\"x\ny\"z\n",
       {},
       "t.csv:3:3: error: stream \"b\": expected the end of the cell behind the quote, found "
       "\"\\\"x\\ny\\\"z\" [csv-quote]\n  y\"z\n    ^"},
      {"x=1,b\n,2\n3,4\n",
       {{"csv.columns", "x=x=1,b"}},
       "t.csv:2:1: error: stream \"x\": expected a value in column \"x=1\", found \"\" "
       "[csv-missing]\n  ,2\n  ^\n  csv.missing (--format-option csv.missing=absent, nan or a "
       "number) says what a missing value is"},
      {"k,a\nx,1\n",
       {{"csv.key", "k"}},
       "t.csv:2:1: error: expected a key that is a whole number in column \"k\", found \"x\" "
       "[csv-key]\n  x,1\n  ^\n  keys that are texts are read with keys=text (--keys text)"},
      {"k,a\n1,1\n2,2\n1,3\n",
       {{"csv.key", "k"}},
       "t.csv:4:1: error: expected a key that no earlier sequence has (line 2 has it), found \"1\" "
       "[csv-repeated-key]\n  1,3\n  ^"},
      {"k,a,b\n1,1,2\n1,,2\n2,,3\n2,4,3\n3,,\n",
       {{"csv.key", "k"}, {"csv.missing", "absent"}},
       "t.csv:3:3: error: stream \"a\": expected a value, as the stream has others in this "
       "sequence, found \"\" [csv-missing]\n  1,,2\n    ^"},
      {"a,b\n1,2\n1,\n", {{"csv.columns", "b,a"}, {"csv.missing", "nan"}}, ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const std::vector<std::string> errors = errors_of(c.text, options_with(c.extra));
    EXPECT_EQ(errors.empty() ? "" : errors[0], c.error);
  }
}

TEST(CsvParser, AStreamIsAbsentIfAllItsCellsAreMissing) {
  const FormatOptions options = options_with({{"csv.key", "k"}, {"csv.missing", "absent"}});
  const auto data = opened("k,a,b\n1,,x\n1,,\"\"\n2,3,\n2,4,\n", options);
  Diagnostics diagnostics;
  const Chunk chunk = data->read({.chunk = {}}, diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_FALSE(chunk.view(0, 0).is_present);
  EXPECT_EQ(chunk.view(0, 1).sample_count, 2);
  EXPECT_EQ(chunk.view(1, 0).sample_count, 2);
  EXPECT_EQ(chunk.view(1, 0).value_count, 1);
  EXPECT_FALSE(chunk.view(1, 1).is_present);
  EXPECT_EQ(errors_of("k,a,b\n1,,\n", options).size(), 1U);
}

TEST(CsvParser, ReportsAllErrorsOfARow) {
  EXPECT_EQ(errors_of("a,b,c\n1,2,3\nx,1e99,\"3\"4,5\n",
                      [] {
                        FormatOptions options;
                        options.dtype = ElementType::f32;
                        options.streams = {{.name = "a", .sample_shape = Shape{1}},
                                           {.name = "b", .sample_shape = Shape{1}}};
                        return options;
                      }())
                .size(),
            4U);
}

TEST(CsvParser, EveryClassOfTheFileIsKnown) {
  // The vocabulary comes from the whole file, so a class is wrong only if the file has changed.
  EXPECT_TRUE(errors_of("a,b\n1,x\n2,y\n", options_with({{"csv.classes", "b"}})).empty());
}

}  // namespace
}  // namespace sheaf::csv
