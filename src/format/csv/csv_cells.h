// The tokenizer of CSV, which splits a row into cells. All code that reads rows uses it.

#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/text_scan.h"
#include "format/csv/csv_errors.h"
#include "format/text/row_reader.h"

namespace sheaf::csv {

using internal::Row;
using internal::RowReader;

/// One cell of a row.
struct Cell {
  const char* first = nullptr;  // the first byte, which is a quote if the cell is quoted
  const char* begin = nullptr;  // start of the text, without the quotes
  const char* end = nullptr;
  const char* next = nullptr;  // the delimiter after the cell, or the end of the row
  bool is_quoted = false;
  bool has_doubled = false;            // the text has a doubled quote
  const ErrorKind* problem = nullptr;  // null if the cell is well formed
  const char* problem_location = nullptr;

  /// Returns the text as in the file.
  [[nodiscard]] std::string_view raw() const noexcept {
    return {begin, static_cast<std::size_t>(end - begin)};
  }

  /// Returns the whole cell, with quotes.
  [[nodiscard]] std::string_view whole() const noexcept {
    return {first, static_cast<std::size_t>(next - first)};
  }
};

/// Returns the first `c` of [p, end), or `end`.
[[nodiscard]] inline const char* find_byte(const char* p, const char* end, char c) noexcept {
  const void* const found =
      p == end ? nullptr : std::memchr(p, c, static_cast<std::size_t>(end - p));
  return found == nullptr ? end : static_cast<const char*>(found);
}

/// Returns whether a row has neither quotes nor CR. Then its cells are the texts between
/// delimiters.
[[nodiscard]] inline bool is_plain(const Row& row) noexcept {
  return find_byte(row.begin, row.end, '"') == row.end &&
         find_byte(row.begin, row.end, '\r') == row.end;
}

/// Returns the cell at `p` of a row that is_plain().
[[nodiscard]] inline Cell plain_cell(const char* p, const char* end, char delimiter) noexcept {
  Cell cell;
  cell.first = cell.begin = p;
  cell.end = cell.next = find_byte(p, end, delimiter);
  return cell;
}

/// Returns the cell at `p` of any row that ends at `end`.
[[nodiscard]] Cell lex_cell(const char* p, const char* end, char delimiter) noexcept;

/// Appends the text of a cell, with doubled quotes as single ones.
void append_text(const Cell& cell, std::string& to);

/// Returns the number of bytes that append_text() appends.
[[nodiscard]] std::int64_t text_size(const Cell& cell) noexcept;

/// Writes the text of a cell, with doubled quotes as single ones.
///
/// Pre: there is room for text_size() bytes.
void write_text(const Cell& cell, char* to) noexcept;

/// Returns the line of a row that `location` lies in, for messages. A row may have several lines.
[[nodiscard]] Row line_of(const Row& row, const char* location) noexcept;

}  // namespace sheaf::csv
