#include "format/csv/csv_scanner.h"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "format/csv/csv_test_files.h"

namespace sheaf::csv {
namespace {

/// Returns a line for each sequence, chunk by chunk.
std::vector<std::string> scan(const std::string& text, const FormatOptions& options,
                              std::int64_t chunk_size) {
  const Schema schema = schema_of("a,k\n1,1\n", options);
  const auto source = memory_source(text, "t");
  const auto scanner = make_scanner(
      *source, schema,
      {.begin = 0, .end = source->size(), .first_sequence = 50, .chunk_size_bytes = chunk_size});
  std::vector<std::string> lines;
  while (const std::optional<internal::ScannedChunk> chunk = scanner->next()) {
    for (std::int64_t i = 0; i < chunk->sequences.size(); ++i) {
      lines.push_back(std::to_string(chunk->info.offset_bytes) + "+" +
                      std::to_string(chunk->sequences.offset_bytes(i)) + " line " +
                      std::to_string(chunk->info.first_line + chunk->sequences.first_line(i)) +
                      " key " + std::to_string(chunk->sequences.key(i).low) + " rows " +
                      std::to_string(chunk->sequences.sample_count(i)));
    }
  }
  EXPECT_TRUE(scanner->warnings().empty());
  return lines;
}

TEST(CsvScanner, EachRowIsASequenceEvenIfItHasSeveralLines) {
  const std::string text = "1,2\n\n\"a\n\n\",x\r\n3";
  EXPECT_EQ(scan(text, {}, 100),
            (std::vector<std::string>{"0+0 line 1 key 50 rows 1", "0+5 line 3 key 51 rows 1",
                                      "0+14 line 6 key 52 rows 1"}));
  EXPECT_EQ(scan(text, {}, 1),
            (std::vector<std::string>{"0+0 line 1 key 50 rows 1", "5+0 line 3 key 51 rows 1",
                                      "14+0 line 6 key 52 rows 1"}));
}

TEST(CsvScanner, RowsOfOneKeyAreASequence) {
  EXPECT_EQ(scan("1,7\n2,7\n3,8\n4,7\n", options_with({{"csv.key", "k"}}), 100),
            (std::vector<std::string>{"0+0 line 1 key 7 rows 2", "0+8 line 3 key 8 rows 1",
                                      "0+12 line 4 key 7 rows 1"}));
}

}  // namespace
}  // namespace sheaf::csv
