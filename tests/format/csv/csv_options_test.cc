#include "format/csv/csv_options.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/csv/csv_test_files.h"
#include "support/error_of.h"

namespace sheaf::csv {
namespace {

using testing::error_of;
using Missing = ReadOptions::Missing;

TEST(CsvOptions, ListsMayHaveQuotes) {
  EXPECT_EQ(split_list(""), (std::vector<std::string>{}));
  EXPECT_EQ(split_list("a"), (std::vector<std::string>{"a"}));
  EXPECT_EQ(split_list("a,,b"), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(split_list("\"a,b\",c\"\""), (std::vector<std::string>{"a,b", "c"}));
  EXPECT_EQ(split_list("\"a\"\"b\""), (std::vector<std::string>{"a\"b"}));
}

TEST(CsvOptions, DefineMissingValues) {
  EXPECT_EQ(read_options_of({}, "a.csv").missing, Missing::error);
  FormatOptions options;
  options.missing_streams = MissingStreams::allow;
  EXPECT_EQ(read_options_of(options, "a.csv").missing, Missing::absent);
  options.extra = {{"csv.missing", "error"}, {"csv.missing_text", "NA||n/a"}};
  const ReadOptions read = read_options_of(options, "a.csv");
  EXPECT_EQ(read.missing, Missing::error);
  EXPECT_TRUE(read.is_missing_text(""));
  EXPECT_TRUE(read.is_missing_text("n/a"));
  EXPECT_FALSE(read.is_missing_text("na"));
  EXPECT_EQ(read_options_of(options_with({{"csv.missing", "-1.5"}}), "a").missing_value, "-1.5");
}

TEST(CsvOptions, TheDelimiterDefaultsToThatOfTheExtension) {
  for (const auto& [path, delimiter] : {std::pair("a.csv", ','), std::pair("a.tsv", '\t'),
                                        std::pair("a.tsv.zst", '\t'), std::pair("a", ',')}) {
    EXPECT_EQ(read_options_of({}, path).delimiter, delimiter) << path;
  }
  EXPECT_EQ(delimiter_of("space", "a.tsv"), ' ');
  for (const char c : {',', '\t', ';', '|', ' '}) {
    EXPECT_EQ(delimiter_of(delimiter_word(c), "a.csv"), c);
  }
}

TEST(CsvOptions, RefuseInvalidValues) {
  const auto error = [](const FormatOptions& options) {
    return error_of<ConfigError>([&] { static_cast<void>(read_options_of(options, "a.csv")); });
  };
  EXPECT_EQ(error(options_with({{"csv.missing", "none"}})),
            "csv.missing: expected error, absent, nan or a number, got \"none\"");
  FormatOptions texts;
  texts.keys = KeyType::text;
  EXPECT_EQ(error(texts),
            "keys: a csv file has texts as keys where csv.key names their column (--format-option "
            "csv.key=COLUMN)");
  FormatOptions cntk;
  cntk.compatibility = Compatibility::cntk;
  EXPECT_EQ(error(cntk), "compatibility: CNTK has no reader of csv to be compatible with");
}

}  // namespace
}  // namespace sheaf::csv
