// Where a row ends whose cells may be quoted.

#pragma once

#include <cstddef>
#include <cstring>

namespace sheaf::internal {

/// Finds the LF that ends a row, in text that comes piece by piece. A cell is quoted where its
/// first byte is a quote; the cell goes on to the next quote that is not doubled, and LF inside
/// ends no row. A quote anywhere else is a byte like any other.
class QuotedRow {
 public:
  explicit QuotedRow(char delimiter) noexcept : delimiter_(delimiter) {}

  /// Returns the LF that ends the row, or null where it is not in [begin, end). `is_all` says
  /// whether the text ends at `end`.
  ///
  /// Pre: `begin` is the front of the row, with the same bytes as in the calls before, and more.
  [[nodiscard]] const char* find_end(const char* begin, const char* end, bool is_all) noexcept {
    const char* p = begin + seen_;
    while (p != end) {
      p = is_inside_ ? pass_quoted(p, end, is_all) : pass_plain(begin, p, end);
      if (is_found_) return p;
      if (is_waiting_) break;
    }
    is_waiting_ = false;
    seen_ = p - begin;
    return nullptr;
  }

  /// Whether the row has a quoted cell, and so perhaps several lines.
  [[nodiscard]] bool has_quotes() const noexcept { return has_quotes_; }

 private:
  static const char* find(const char* p, const char* end, char c) noexcept {
    const void* const found = std::memchr(p, c, static_cast<std::size_t>(end - p));
    return found == nullptr ? end : static_cast<const char*>(found);
  }

  /// Goes on to the LF that ends the row, behind a quote, or to the end.
  const char* pass_plain(const char* begin, const char* p, const char* end) noexcept {
    const char* const newline = find(p, end, '\n');
    for (;;) {
      const char* const quote = find(p, newline, '"');
      if (quote == newline) {
        is_found_ = newline != end;
        return newline;
      }
      p = quote + 1;
      if (quote == begin || quote[-1] == delimiter_) {
        is_inside_ = has_quotes_ = true;
        return p;
      }
    }
  }

  /// Goes on behind the quote that ends the cell, or to the end. A quote at the very end may be the
  /// first of two: it waits for the next piece.
  const char* pass_quoted(const char* p, const char* end, bool is_all) noexcept {
    const char* const quote = find(p, end, '"');
    if (quote == end) return end;
    if (quote + 1 == end && !is_all) {
      is_waiting_ = true;
      return quote;
    }
    if (quote + 1 != end && quote[1] == '"') return quote + 2;
    is_inside_ = false;
    return quote + 1;
  }

  char delimiter_;
  std::ptrdiff_t seen_ = 0;  // bytes of the row that need no second look
  bool is_inside_ = false;   // of a quoted cell
  bool is_waiting_ = false;
  bool is_found_ = false;
  bool has_quotes_ = false;
};

}  // namespace sheaf::internal
