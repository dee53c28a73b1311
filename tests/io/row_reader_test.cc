#include "io/row_reader.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

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

TEST(RowReader, EndAtAnyOfTheRowEnds) {
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

TEST(RowReader, OfAPartAreThoseOfTheWhole) {
  for (std::int64_t read_size = 1; read_size <= 12; ++read_size) {
    EXPECT_EQ(rows_of("aa\nbb\ncc\n", 3, 6, read_size), (std::vector<FoundRow>{{"bb", 3, 1}}));
  }
}

TEST(RowReader, MayBeLongerThanTheReadSize) {
  const std::string text = std::string(100'000, 'x') + "\n" + std::string(50'000, 'y');
  const auto rows = rows_of(text, 0, static_cast<std::int64_t>(text.size()), 1000);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].text, std::string(100'000, 'x'));
  EXPECT_EQ(rows[1].text, std::string(50'000, 'y'));
}

}  // namespace
}  // namespace sheaf::internal
