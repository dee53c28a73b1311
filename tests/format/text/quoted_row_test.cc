#include "format/text/quoted_row.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

/// Returns the end of the row, found in pieces of `step` bytes, or -1.
std::ptrdiff_t row_end(const std::string& text, std::size_t step, bool& has_quotes) {
  QuotedRow row(',');
  for (std::size_t size = std::min(step, text.size());; size = std::min(size + step, text.size())) {
    const char* const begin = text.data();
    const char* const end = row.find_end(begin, begin + size, size == text.size());
    has_quotes = row.has_quotes();
    if (end != nullptr) return end - begin;
    if (size == text.size()) return -1;
  }
}

TEST(QuotedRow, EndsAtALineEndOutsideQuotes) {
  struct Case {
    std::string text;
    std::ptrdiff_t end;
    bool has_quotes;
  };
  const Case cases[] = {
      {"", -1, false},
      {"a", -1, false},
      {"\nb", 0, false},
      {"a,b\nc", 3, false},
      {"\"a\nb\"\nc", 5, true},
      {"a,\"\n\"\n", 5, true},
      {"a\"\nb\"\n", 2, false},    // a quote inside of a cell
      {"a,x\"\nb\"\n", 4, false},  //
      {"\"a\"\"\n\"\n", 6, true},  // a doubled quote
      {"\"\"\n\"", 2, true},       // an empty text
      {"\"\"\"\n\"\n", 5, true},   // three quotes: one doubled
      {"\"\"\"\"\n", 4, true},     //
      {"\"a\"b\"\n", 5, true},     // text after the end of a quoted cell
      {"\"a\",\"\nb\",\"\"\"\n\"\n", 14, true},
      {"\"a\nb\n", -1, true},  // no closing quote
      {"\"a\"", -1, true},
      {"\"a\"\"", -1, true},
  };
  for (const Case& c : cases) {
    for (std::size_t step = 1; step <= c.text.size() + 1; ++step) {
      SCOPED_TRACE(c.text + " by " + std::to_string(step));
      bool has_quotes = false;
      EXPECT_EQ(row_end(c.text, step, has_quotes), c.end);
      EXPECT_EQ(has_quotes, c.has_quotes);
    }
  }
}

}  // namespace
}  // namespace sheaf::internal
