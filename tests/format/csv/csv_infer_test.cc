#include "format/csv/csv_infer.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "format/csv/csv_test_files.h"

namespace sheaf::csv {
namespace {

TEST(CsvInfer, AColumnHoldsIntegersNumbersOrTexts) {
  struct Case {
    std::string cells;
    std::string type;
  };
  const Case cases[] = {
      {"1\n2\n", "i64"},
      {"-1\n+2\n\"3\"\n 4\n", "i64"},
      {"9223372036854775807\n", "i64"},
      {"9223372036854775808\n", "f32"},  // more than the largest int64
      {"1\n2.5\n", "f32"},
      {"1\n1e3\n", "f32"},
      {"1e999\n", "f32"},  // a number for the schema, but an error for the reader
      {"1\n2\nx\n", "bytes"},
      {"x\n2\n", "bytes"},
      {"true\nfalse\n", "bytes"},
      {"nan\n", "bytes"},
      {"\" \"\n", "bytes"},
      {"1\n\"\"\n", "bytes"},  // an empty text
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.cells);
    const Schema schema = schema_of("a\n" + c.cells, options_with({{"csv.delimiter", "comma"}}));
    EXPECT_EQ(to_string(schema.streams[0].element_type), c.type);
  }
}

TEST(CsvInfer, MissingCellsAreIgnoredButMayNeedANaN) {
  const auto type = [](const std::string& text, Extra extra) {
    return to_string(schema_of(text, options_with(std::move(extra))).streams[1].element_type);
  };
  EXPECT_EQ(type("a,b\n1,2\n1,\n", {}), "i64");
  EXPECT_EQ(type("a,b\n1,2\n1,\n", {{"csv.missing", "nan"}}), "f32");
  EXPECT_EQ(type("a,b\n1,2\n1,\n", {{"csv.missing", "-1"}}), "i64");
  EXPECT_EQ(type("a,b\n1,2\n1,\n", {{"csv.missing", "0.5"}}), "f32");
  EXPECT_EQ(type("a,b\n1,2\n1,NA\n", {}), "bytes");
  EXPECT_EQ(type("a,b\n1,2\n1,NA\n", {{"csv.missing_text", "NA"}}), "i64");
  EXPECT_EQ(type("a,b\n1,\n1,\n", {}), "f32");
}

TEST(CsvInfer, SamplesTheFirstBytesButReadsAllClasses) {
  FormatOptions options = options_with({{"csv.classes", "c"}});
  options.inference_size_bytes = 1;
  const Schema schema = schema_of("a,c\n1,red\n2.5,\"blue\"\nx,red\nx,green\"\nx,,\n", options);
  EXPECT_EQ(streams_of(schema), (std::vector<std::string>{"a: dense i64 [1]", "c: dense i32 [1]"}));
  EXPECT_EQ(*schema.streams[1].class_names, (std::vector<std::string>{"red", "blue"}));
}

TEST(CsvInfer, TextsAfterNumbersAreAWarning) {
  const auto warnings = [](const std::string& text, bool takes_first_form) {
    FormatOptions options;
    options.takes_first_form = takes_first_form;
    return opened(text, options)->warnings();
  };
  EXPECT_TRUE(warnings("a,b\nx,1\n1,2\n", false).empty());
  EXPECT_TRUE(warnings("a,b\n1,1\n?,2\n", true).empty());
  const auto found = warnings("a,b\n1,1\n?,2\n", false);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(to_string(found[0]).substr(0, 138),
            "t.csv:3:1: warning: stream \"a\": expected numbers alone, or texts alone, found the "
            "first text of a column that begins with numbers (line 2)");
}

}  // namespace
}  // namespace sheaf::csv
