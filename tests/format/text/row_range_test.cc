#include "format/text/row_range.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

#include "format/text/line_scanner.h"
#include "support/test_folder.h"

namespace sheaf::internal {
namespace {

/// Returns the text of each row in a range, with the number of its sequence. Throws what RowRange
/// throws.
std::vector<std::string> read(const ByteSource& source, const TextSchema& schema,
                              const ScannedIndex& index, const ChunkRange& range) {
  RowRange rows(source, schema, index, range);
  std::vector<std::string> texts;
  Row row;
  while (rows.next_row(row)) {
    if (const std::optional<SequenceKey> key = key_of_line(row)) {
      EXPECT_TRUE(rows.begin_sequence(row, *key));
    }
    texts.push_back(std::to_string(rows.sequence()) + ":" + std::string(row.text()));
  }
  rows.end();
  return texts;
}

TEST(RowRange, ReturnsTheRowsOfItsSequences) {
  const auto source = memory_source("5\n3\n-\n8\n1\n", "text");
  const TextSchema schema = line_schema(100);
  const ScannedIndex index(line_index(source, schema, {}));
  using Texts = std::vector<std::string>;
  EXPECT_EQ(read(*source, schema, index, {.chunk = {}}),
            Texts({"0:5", "1:3", "1:-", "2:8", "3:1"}));
  EXPECT_EQ(read(*source, schema, index, {.chunk = {}, .first = 1, .count = 2}),
            Texts({"1:3", "1:-", "2:8"}));
  EXPECT_EQ(read(*source, schema, index, {.chunk = {}, .first = 3}), Texts({"3:1"}));
}

TEST(RowRange, UnindexedRowsAreAnIoError) {
  const TextSchema schema = line_schema(100);
  const ScannedIndex index(line_index(memory_source("5\n3\n8\n", "text"), schema, {}));
  for (const char* text : {"5\n4\n8\n", "5\n-\n8\n", "5\n33\n\n", "-\n3\n8\n"}) {
    EXPECT_THROW((void)read(*memory_source(text, "text"), schema, index, {.chunk = {}}), IoError)
        << text;
  }
}

// The change in the middle of the file leaves its size, head, tail and even the rows as they are.
TEST(RowRange, AChangedUnitIsDetectedByItsHash) {
  const TestFolder folder;
  std::string text;
  for (std::int64_t i = 100'000; text.size() < std::size_t{8} << 20; ++i) {
    text += std::to_string(i) + "\n" + std::string(1000, '-') + "\n";
  }
  folder.write("a", text);
  const TextSchema schema = line_schema(3 << 20);
  const auto read_all = [&](IndexMode mode) {
    const auto source = open_file(folder.path("a"));
    const ScannedIndex index(line_index(source, schema, {.mode = mode}));
    std::size_t count = 0;
    for (ChunkIndex i{}; index.chunk(i); i = next(i)) {
      count += read(*source, schema, index, {.chunk = i}).size();
    }
    return count;
  };
  const std::size_t count = read_all(IndexMode::rebuild);
  const std::string index_path = folder.path("a.sheaf-index");
  EXPECT_TRUE(std::filesystem::exists(index_path));
  EXPECT_EQ(read_all(IndexMode::require), count);

  text[text.find('-', text.size() / 2)] = '+';
  folder.write("a", text);
  EXPECT_THROW((void)read_all(IndexMode::require), IoError);
  EXPECT_TRUE(std::filesystem::exists(index_path));
  EXPECT_THROW((void)read_all(IndexMode::automatic), IoError);
  EXPECT_FALSE(std::filesystem::exists(index_path));  // the next run scans
  EXPECT_EQ(read_all(IndexMode::automatic), count);
}

TEST(RowRange, DescribesErrorsInRowsAndAtSequenceStarts) {
  const auto source = memory_source("5\r\n3\n-oops-\n", "text");
  const TextSchema schema = line_schema(100);
  const ScannedIndex index(line_index(source, schema, {}));
  RowRange rows(*source, schema, index, {.chunk = {}});
  Diagnostics diagnostics;
  DiagnosticWriter writer(*source, diagnostics);
  Row row;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(rows.next_row(row));
    if (const auto key = key_of_line(row)) {
      ASSERT_TRUE(rows.begin_sequence(row, *key));
    }
  }
  const ErrorKind kind{"line-bad", "a line"};
  writer.add(rows, "", writer.at(row, row.begin + 1, 4), kind, &schema.streams[0], "a line",
             "\"oops\"", "a hint");
  writer.add(rows, "key", writer.at_sequence(rows), kind, nullptr, "a line", "none");
  ASSERT_EQ(diagnostics.described().size(), 2U);
  EXPECT_EQ(to_string(diagnostics.described()[0]),
            "text:3:2: error: stream \"x\": expected a line, found \"oops\" [line-bad]\n  -oops-\n"
            "   ^~~~\n  a hint");
  EXPECT_EQ(diagnostics.described()[0].sequence_key, "3");
  EXPECT_EQ(diagnostics.described()[0].byte_offset, 6);
  EXPECT_EQ(diagnostics.described()[1].sequence_key, "key");
  EXPECT_EQ(diagnostics.described()[1].line, 2);
  EXPECT_EQ(diagnostics.described()[1].excerpt, "3");
}

}  // namespace
}  // namespace sheaf::internal
