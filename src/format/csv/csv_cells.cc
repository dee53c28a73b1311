#include "format/csv/csv_cells.h"

#include <algorithm>

namespace sheaf::csv {
namespace {

void note(Cell& cell, const ErrorKind& kind, const char* location) noexcept {
  cell.problem = &kind;
  cell.problem_location = location;
}

// If no quote ends the cell, the cell extends to the end of the row.
Cell quoted_cell(const char* p, const char* end, char delimiter) noexcept {
  Cell cell;
  cell.first = p;
  cell.begin = p + 1;
  cell.is_quoted = true;
  const char* quote = find_byte(cell.begin, end, '"');
  while (quote != end && quote + 1 != end && quote[1] == '"') {
    cell.has_doubled = true;
    quote = find_byte(quote + 2, end, '"');
  }
  cell.end = cell.next = quote;
  if (quote == end) {
    note(cell, kUnclosed, p);
    return cell;
  }
  cell.next = find_byte(quote + 1, end, delimiter);
  if (cell.next != quote + 1) note(cell, kBehindQuote, quote + 1);
  return cell;
}

}  // namespace

Cell lex_cell(const char* p, const char* end, char delimiter) noexcept {
  if (p != end && *p == '"') return quoted_cell(p, end, delimiter);
  Cell cell = plain_cell(p, end, delimiter);
  const char* const quote = find_byte(p, cell.end, '"');
  const char* const carriage = find_byte(p, cell.end, '\r');
  if (quote < carriage) {
    note(cell, kStrayQuote, quote);
  } else if (carriage != cell.end) {
    note(cell, kCarriageReturn, carriage);
  }
  return cell;
}

void append_text(const Cell& cell, std::string& to) {
  if (!cell.has_doubled) {
    to.append(cell.raw());
    return;
  }
  const std::size_t size = to.size();
  to.resize(size + static_cast<std::size_t>(text_size(cell)));
  write_text(cell, to.data() + size);
}

std::int64_t text_size(const Cell& cell) noexcept {
  const std::int64_t size = cell.end - cell.begin;
  return cell.has_doubled ? size - std::count(cell.begin, cell.end, '"') / 2 : size;
}

void write_text(const Cell& cell, char* to) noexcept {
  const char* p = cell.begin;
  while (cell.has_doubled && p != cell.end) {
    const char* const quote = find_byte(p, cell.end, '"');
    to = std::copy(p, quote, to);
    if (quote == cell.end) return;
    *to++ = '"';
    p = quote + 2;
  }
  std::copy(p, cell.end, to);
}

Row line_of(const Row& row, const char* location) noexcept {
  Row line = row;
  for (const char* p = row.begin;;) {
    const char* const newline = find_byte(p, row.end, '\n');
    line.begin = p;
    line.end = newline;
    line.offset = row.offset_of(p);
    if (newline == row.end || location <= newline) break;
    p = newline + 1;
    ++line.line;
  }
  if (line.end != row.end && line.end != line.begin && line.end[-1] == '\r') --line.end;
  return line;
}

}  // namespace sheaf::csv
