// The text of JSON: strings, numbers and the values that they make up. All but find_fault() take
// text that is known to be right: then no end has to be watched for.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "format/jsonl/jsonl_errors.h"

namespace sheaf::jsonl {

/// Lists and objects may be so many deep.
inline constexpr int kDepthMax = 512;

[[nodiscard]] constexpr bool is_space(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Returns whether a number or a word can end before `c`.
[[nodiscard]] constexpr bool ends_scalar(char c) noexcept {
  return is_space(c) || c == ',' || c == ']' || c == '}';
}

/// Returns where the next byte is that is no space.
///
/// Pre: there is one.
[[nodiscard]] inline const char* skip_space(const char* p) noexcept {
  while (is_space(*p)) ++p;
  return p;
}

/// Returns where the number or word at `p` ends.
[[nodiscard]] inline const char* scalar_end(const char* p) noexcept {
  while (!ends_scalar(*p)) ++p;
  return p;
}

/// Returns the closing quote of a string, from behind its first quote on.
///
/// Pre: there is one; eight bytes behind it may be read.
[[nodiscard]] const char* string_end(const char* p) noexcept;

/// Returns the end of the value at `p`.
[[nodiscard]] const char* skip_value(const char* p) noexcept;

/// Goes to the first or next element of a list, from behind its "[" or from the end of the element
/// before. Returns null at the end of the list.
[[nodiscard]] inline const char* next_element(const char* p) noexcept {
  p = skip_space(p);
  if (*p == ']') return nullptr;
  return *p == ',' ? skip_space(p + 1) : p;
}

/// Returns how many elements the list at `p` has.
[[nodiscard]] std::int64_t element_count(const char* p) noexcept;

/// Returns the end of the number at `p`, as JSON has numbers; null where there is none.
///
/// Pre: some byte from `p` on is not of a number.
[[nodiscard]] const char* number_end(const char* p) noexcept;

/// Returns the size of the escape at `p`, which begins with "\": 2, 6, or 12 where two of them make
/// up a character; 0 where it is wrong, or stands for no character.
[[nodiscard]] int escape_size(const char* p, const char* end) noexcept;

/// Returns how many bytes a string has when its escapes are replaced.
[[nodiscard]] std::int64_t unescaped_size(std::string_view string) noexcept;

/// Writes a string with its escapes replaced, and returns its end.
///
/// Pre: there is room for string.size() bytes.
char* unescape(std::string_view string, char* out) noexcept;

/// Returns whether the string behind the quote `quote` is `name`. Escapes are replaced first.
[[nodiscard]] bool is_string(const char* quote, std::string_view name);

/// A wrong place of a line.
struct Fault {
  const ErrorKind* kind = nullptr;
  const char* begin = nullptr;
  const char* end = nullptr;
  std::string expected = {};
  std::string found = {};
  std::string hint = {};
};

/// Returns the first place of a line that keeps the line from being an object of JSON: RFC 8259,
/// and strings that are UTF-8. Nothing where there is none.
[[nodiscard]] std::optional<Fault> find_fault(std::string_view line);

}  // namespace sheaf::jsonl
