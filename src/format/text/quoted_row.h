// Finds the end of a row with quoted cells.

#pragma once

#include <cstddef>
#include <cstring>

namespace sheaf::internal {

/// Finds the LF that ends a row, in text that arrives piece by piece. A cell is quoted if its first
/// byte is a quote. The cell extends to the next quote that is not doubled, and an LF inside does
/// not end the row. A quote anywhere else is an ordinary byte.
class QuotedRow {
 public:
  explicit QuotedRow(char delimiter) noexcept : delimiter_(delimiter) {}

  /// Returns the LF that ends the row, or null if [begin, end) does not hold it. `is_all` says
  /// whether the text ends at `end`.
  ///
  /// Pre: `begin` is the start of the row. The text begins with the bytes of the earlier calls.
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

  /// Returns whether the row has a quoted cell, and so may span several lines.
  [[nodiscard]] bool has_quotes() const noexcept { return has_quotes_; }

 private:
  static const char* find(const char* p, const char* end, char c) noexcept {
    const void* const found = std::memchr(p, c, static_cast<std::size_t>(end - p));
    return found == nullptr ? end : static_cast<const char*>(found);
  }

  /// Advances past the next opening quote, or to the LF that ends the row, or to the end.
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

  /// Advances past the quote that ends the cell, or to the end. A quote at the very end may be the
  /// first of a doubled quote, so it waits for the next piece.
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
  std::ptrdiff_t seen_ = 0;  // bytes of the row that need not be scanned again
  bool is_inside_ = false;   // inside a quoted cell
  bool is_waiting_ = false;
  bool is_found_ = false;
  bool has_quotes_ = false;
};

}  // namespace sheaf::internal
