#include "format/text/row_reader.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/error.h"

namespace sheaf::internal {
namespace {

struct FoundRow {
  std::string text;
  std::int64_t offset;
  std::int64_t line;

  friend bool operator==(const FoundRow&, const FoundRow&) = default;
};

std::vector<FoundRow> rows_of(const std::string& text, std::int64_t begin, std::int64_t end,
                              std::int64_t read_size) {
  const auto source = memory_source(text, "text");
  RowReader reader(*source, begin, end, 1, read_size);
  std::vector<FoundRow> rows;
  Row row;
  while (reader.next(row)) rows.push_back({std::string(row.text()), row.offset, row.line});
  return rows;
}

TEST(RowReader, RowsMayHaveAnyLineEnd) {
  const std::vector<FoundRow> expected = {{"a", 0, 1}, {"", 2, 2},     {"bc", 3, 3},
                                          {"", 7, 4},  {"d\re", 9, 5}, {"f", 13, 6}};
  const std::string text = "a\n\nbc\r\n\r\nd\re\nf";
  for (const std::string& end :
       {std::string(), std::string("\n"), std::string("\r\n"), std::string("\r")}) {
    for (std::int64_t read_size = 1; read_size <= 20; ++read_size) {
      SCOPED_TRACE(read_size);
      const std::string whole = text + end;
      EXPECT_EQ(rows_of(whole, 0, static_cast<std::int64_t>(whole.size()), read_size), expected);
    }
  }
  EXPECT_TRUE(rows_of("", 0, 0, 1).empty());
}

TEST(RowReader, ARowWithQuotesMayHaveSeveralLines) {
  const std::string text = "a,\"b\n\"\"\r\n\",c\r\n\nd\n\"e\n";
  const std::vector<FoundRow> expected = {
      {"a,\"b\n\"\"\r\n\",c", 0, 1}, {"", 14, 4}, {"d", 15, 5}, {"\"e\n", 17, 6}};
  for (std::int64_t read_size = 1; read_size <= 30; ++read_size) {
    SCOPED_TRACE(read_size);
    const auto source = memory_source(text, "text");
    RowReader reader(*source, 0, source->size(), 1, read_size, RowReader::kAnySize, ',');
    std::vector<FoundRow> rows;
    Row row;
    while (reader.next(row)) rows.push_back({std::string(row.text()), row.offset, row.line});
    EXPECT_EQ(rows, expected);
    EXPECT_EQ(reader.row_count(), 7);
  }
}

TEST(RowReader, RowsOfAPartEqualThoseOfTheWhole) {
  for (std::int64_t read_size = 1; read_size <= 12; ++read_size) {
    EXPECT_EQ(rows_of("aa\nbb\ncc\n", 3, 6, read_size), (std::vector<FoundRow>{{"bb", 3, 1}}));
  }
}

TEST(RowReader, RowsMayBeLongerThanTheReadSize) {
  const std::string text = std::string(100'000, 'x') + "\n" + std::string(50'000, 'y');
  const auto rows = rows_of(text, 0, static_cast<std::int64_t>(text.size()), 1000);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].text, std::string(100'000, 'x'));
  EXPECT_EQ(rows[1].text, std::string(50'000, 'y'));
}

// Tests a row that needs its own memory, with its neighbours.
TEST(RowReader, RowsMayBeLongerThanAnyBuffer) {
  const std::string row(std::size_t{9} << 20, 'x');
  const std::string text = "a\n" + row + "1\nb\n" + row + "2\n" + row;
  const auto rows = rows_of(text, 0, static_cast<std::int64_t>(text.size()), 1 << 20);
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[0].text, "a");
  EXPECT_TRUE(rows[1].text == row + "1");
  EXPECT_EQ(rows[2].text, "b");
  EXPECT_TRUE(rows[3].text == row + "2");
  EXPECT_TRUE(rows[4].text == row);
  EXPECT_EQ(rows[4].offset, static_cast<std::int64_t>(2 * row.size()) + 8);
}

TEST(RowReader, RefusesARowThatIsTooLongWithItsSize) {
  const auto source = memory_source("ab\n" + std::string(90'000, 'x') + "\ncd\n", "text");
  const auto read = [&](std::int64_t row_size_max, std::int64_t end) {
    RowReader reader(*source, 0, end, 1, 1000, row_size_max);
    Row row;
    while (reader.next(row)) {
    }
  };
  for (const std::int64_t end : {source->size(), std::int64_t{90'003}}) {
    EXPECT_NO_THROW(read(90'000, end));
    for (const std::int64_t row_size_max : {1000, 50'000, 89'999}) {
      try {
        read(row_size_max, end);
        ADD_FAILURE() << row_size_max;
      } catch (const ConfigError& error) {
        EXPECT_EQ(std::string(error.what()),
                  "memory limit: the index may take " + std::to_string(row_size_max) +
                      " bytes, too few for the row at byte 3 of text, which has 90000: raise "
                      "memory_limit "
                      "(--memory-limit) to 720000 or more, and further for several files");
      }
    }
  }
}

TEST(RowReader, FindsARowFromAnyOffset) {
  const std::string text = "ab\n" + std::string(100'000, 'x') + "\n\ncd";
  const auto source = memory_source(text, "text");
  const std::int64_t size = source->size();
  EXPECT_EQ(find_row(*source, 1, size), 3);
  EXPECT_EQ(find_row(*source, 2, size), 3);
  EXPECT_EQ(find_row(*source, 3, size), 3);
  EXPECT_EQ(find_row(*source, 1, 3), 3);  // none before it
  EXPECT_EQ(find_row(*source, 4, size), 100'004);
  EXPECT_EQ(find_row(*source, 4, 100'004), 100'004);
  EXPECT_EQ(find_row(*source, 100'005, size), 100'005);
  EXPECT_EQ(find_row(*source, 100'006, size), size);
  EXPECT_EQ(find_row(*source, size, size), size);
}

}  // namespace
}  // namespace sheaf::internal
