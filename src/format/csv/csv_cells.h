// The tokenizer of CSV: from a row to its cells. Everything that reads rows goes through here.

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
  const char* first = nullptr;  // the first byte, a quote where the cell is quoted
  const char* begin = nullptr;  // of the text, without the quotes
  const char* end = nullptr;
  const char* next = nullptr;  // the delimiter behind the cell, or the end of the row
  bool is_quoted = false;
  bool has_doubled = false;            // a doubled quote stands in the text
  const ErrorKind* problem = nullptr;  // null: the cell is as it should be
  const char* problem_place = nullptr;

  /// The text as the file has it.
  [[nodiscard]] std::string_view raw() const noexcept {
    return {begin, static_cast<std::size_t>(end - begin)};
  }

  /// The whole cell, with quotes.
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

/// Whether a row has neither quotes nor CR, so that its cells are what stands between delimiters.
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

/// Appends the text of a cell, where doubled quotes are single ones.
void append_text(const Cell& cell, std::string& to);

/// Returns how many bytes append_text() appends.
[[nodiscard]] std::int64_t text_size(const Cell& cell) noexcept;

/// Writes the text of a cell, where doubled quotes are single ones.
///
/// Pre: there is room for text_size() bytes.
void write_text(const Cell& cell, char* to) noexcept;

/// Returns the line of a row that has `place`, for messages: a row may have several lines.
[[nodiscard]] Row line_of(const Row& row, const char* place) noexcept;

}  // namespace sheaf::csv
