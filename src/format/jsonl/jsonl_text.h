// Scans the text of JSON: strings, numbers and values. All functions except for find_fault() expect
// valid text, so that they need not check for the end.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "format/jsonl/jsonl_errors.h"

namespace sheaf::jsonl {

/// The largest depth of nested lists and objects.
inline constexpr int kDepthMax = 512;

[[nodiscard]] constexpr bool is_space(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Returns whether a number or a word can end before `c`.
[[nodiscard]] constexpr bool ends_scalar(char c) noexcept {
  return is_space(c) || c == ',' || c == ']' || c == '}';
}

/// Returns the next byte that is not a space.
///
/// Pre: there is one.
[[nodiscard]] inline const char* skip_space(const char* p) noexcept {
  while (is_space(*p)) ++p;
  return p;
}

/// Returns the end of the number or word at `p`.
[[nodiscard]] inline const char* scalar_end(const char* p) noexcept {
  while (!ends_scalar(*p)) ++p;
  return p;
}

/// Returns the closing quote of a string. `p` is the byte after the opening quote.
///
/// Pre: there is a closing quote; eight bytes after it may be read.
[[nodiscard]] const char* string_end(const char* p) noexcept;

/// Returns the end of the value at `p`.
[[nodiscard]] const char* skip_value(const char* p) noexcept;

/// Moves to the first or next element of a list. `p` is the byte after the "[", or the end of the
/// previous element. Returns null at the end of the list.
[[nodiscard]] inline const char* next_element(const char* p) noexcept {
  p = skip_space(p);
  if (*p == ']') return nullptr;
  return *p == ',' ? skip_space(p + 1) : p;
}

/// Returns the number of elements of the list at `p`.
[[nodiscard]] std::int64_t element_count(const char* p) noexcept;

/// Returns the end of the number at `p`, by the rules of JSON, or null if there is none.
///
/// Pre: some byte from `p` on cannot belong to a number.
[[nodiscard]] const char* number_end(const char* p) noexcept;

/// Returns the size of the escape at `p`, which begins with "\": 2, 6, or 12 for a pair of escapes
/// that make one character. Returns 0 if the escape is wrong, or stands for no character.
[[nodiscard]] int escape_size(const char* p, const char* end) noexcept;

/// Returns the bytes of a string after its escapes are replaced.
[[nodiscard]] std::int64_t unescaped_size(std::string_view string) noexcept;

/// Writes a string with its escapes replaced. Returns its end.
///
/// Pre: there is room for string.size() bytes.
char* unescape(std::string_view string, char* out) noexcept;

/// Returns whether the string after the quote `quote` is `name`, after replacing escapes.
[[nodiscard]] bool is_string(const char* quote, std::string_view name);

/// An error in a line, and its location.
struct Fault {
  const ErrorKind* kind = nullptr;
  const char* begin = nullptr;
  const char* end = nullptr;
  std::string expected = {};
  std::string found = {};
  std::string hint = {};
};

/// Returns the first error that keeps a line from being an object of JSON (RFC 8259, with strings
/// in UTF-8), or nothing if there is none.
[[nodiscard]] std::optional<Fault> find_fault(std::string_view line);

}  // namespace sheaf::jsonl
