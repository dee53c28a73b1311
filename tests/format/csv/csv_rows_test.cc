#include "format/csv/csv_rows.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "format/csv/csv_test_files.h"

namespace sheaf::csv {
namespace {

/// Returns the key and the code of each row, with "+" in front if the row begins a sequence.
std::vector<std::string> grouped(const std::string& rows, const FormatOptions& options) {
  const Schema schema = schema_of("a,k\n1,1\n", options);
  SequenceGrouper grouper(schema, 5);
  std::vector<std::string> found;
  const auto source = memory_source(rows, "t");
  RowReader reader(*source, 0, std::ssize(rows), 1, 100, RowReader::kAnySize, ',');
  Row row;
  while (reader.next(row)) {
    const std::string mark = grouper.next(row) ? "+" : "";
    const std::string key =
        schema.read.has_text_keys ? grouper.key_text() : std::to_string(grouper.key().low);
    found.push_back(mark + key + " " + std::to_string(static_cast<int>(grouper.code())));
  }
  return found;
}

TEST(CsvRows, EachRowIsASequenceWithoutAKey) {
  EXPECT_EQ(grouped("1,2\nx\n", {}), (std::vector<std::string>{"+5 0", "+6 0"}));
  FormatOptions skipped = options_with({{"csv.key", "k"}});
  skipped.skip_sequence_ids = true;
  EXPECT_EQ(grouped("1,2\n1,2\n", skipped), (std::vector<std::string>{"+5 0", "+6 0"}));
}

TEST(CsvRows, RowsOfOneKeyAreASequence) {
  EXPECT_EQ(
      grouped("1,7\n1,07\n1,x\n1\n1,\n1,8\n1,18446744073709551615\n"
              "1,18446744073709551616\n1,\"9\"\n",
              options_with({{"csv.key", "k"}})),
      (std::vector<std::string>{"+7 0", "7 0", "7 2", "7 1", "7 1", "+8 0",
                                "+18446744073709551615 0", "18446744073709551615 3", "+9 0"}));
  EXPECT_EQ(grouped("1,x\n1,0\n1,1\n", options_with({{"csv.key", "k"}})),
            (std::vector<std::string>{"+0 2", "0 0", "+1 0"}));
}

TEST(CsvRows, KeysMayBeTexts) {
  FormatOptions options = options_with({{"csv.key", "k"}});
  options.keys = KeyType::text;
  EXPECT_EQ(grouped("1,\"a\"\"b\"\n1,\"a\"\"b\"\n1,7\n1,\n1\n", options),
            (std::vector<std::string>{"+a\"b 0", "a\"b 0", "+7 0", "7 1", "7 1"}));
  EXPECT_EQ(grouped("1\n1,a\n", options), (std::vector<std::string>{"+ 1", "+a 0"}));
}

}  // namespace
}  // namespace sheaf::csv
