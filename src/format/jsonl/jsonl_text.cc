#include "format/jsonl/jsonl_text.h"

#include <array>
#include <bit>
#include <cstring>

#include "base/text_scan.h"

namespace sheaf::jsonl {
namespace {

using internal::bytes_equal;
using internal::is_digit;
using internal::load_word;

// Returns the value of four hexadecimal digits, or -1 if they are not digits.
int hexadecimal(const char* p) noexcept {
  int number = 0;
  for (const char* const end = p + 4; p != end; ++p) {
    const char lower = static_cast<char>(*p | 0x20);
    int digit = -1;
    if (is_digit(*p)) {
      digit = *p - '0';
    } else if (lower >= 'a' && lower <= 'f') {
      digit = lower - 'a' + 10;
    }
    if (digit < 0) return -1;
    number = number * 16 + digit;
  }
  return number;
}

constexpr bool is_high_surrogate(int code) noexcept { return (code & 0xFC00) == 0xD800; }
constexpr bool is_low_surrogate(int code) noexcept { return (code & 0xFC00) == 0xDC00; }

// Returns the character for the escape at `p`, whose size is known.
std::uint32_t escaped_character(const char* p, int size) noexcept {
  if (size == 2) {
    switch (p[1]) {
      case 'b':
        return '\b';
      case 'f':
        return '\f';
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      default:
        return static_cast<unsigned char>(p[1]);
    }
  }
  const auto first = static_cast<std::uint32_t>(hexadecimal(p + 2));
  if (size == 6) return first;
  const auto second = static_cast<std::uint32_t>(hexadecimal(p + 8));
  return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
}

// Writes a character as UTF-8. Returns its end.
char* write_character(std::uint32_t code, char* out) noexcept {
  const auto put = [&out](std::uint32_t byte) { *out++ = static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
    return out;
  }
  if (code < 0x800) {
    put(0xC0 | (code >> 6));
  } else {
    if (code < 0x10000) {
      put(0xE0 | (code >> 12));
    } else {
      put(0xF0 | (code >> 18));
      put(0x80 | ((code >> 12) & 0x3F));
    }
    put(0x80 | ((code >> 6) & 0x3F));
  }
  put(0x80 | (code & 0x3F));
  return out;
}

// Calls `text` with each piece without escapes, and `character` with the character for each escape.
template <typename Text, typename Character>
void visit_string(std::string_view string, const Text& text, const Character& character) noexcept {
  const char* p = string.data();
  const char* const end = p + string.size();
  while (p != end) {
    const auto* escape =
        static_cast<const char*>(std::memchr(p, '\\', static_cast<std::size_t>(end - p)));
    if (escape == nullptr) escape = end;
    text(p, escape);
    p = escape;
    if (p == end) return;
    const int size = escape_size(p, end);
    character(escaped_character(p, size));
    p += size;
  }
}

}  // namespace

const char* string_end(const char* p) noexcept {
  for (;;) {
    const std::uint64_t word = load_word(p);
    const std::uint64_t marks = bytes_equal(word, '"') | bytes_equal(word, '\\');
    if (marks == 0) {
      p += 8;
      continue;
    }
    p += std::countr_zero(marks) / 8;
    if (*p == '"') return p;
    p += 2;
  }
}

const char* skip_value(const char* p) noexcept {
  int depth = 0;
  do {
    p = depth == 0 ? p : skip_space(p);
    switch (*p) {
      case '[':
      case '{':
        ++depth;
        ++p;
        break;
      case ']':
      case '}':
        --depth;
        ++p;
        break;
      case '"':
        p = string_end(p + 1) + 1;
        break;
      case ',':
      case ':':
        ++p;
        break;
      default:
        p = scalar_end(p);
    }
  } while (depth > 0);
  return p;
}

std::int64_t element_count(const char* p) noexcept {
  std::int64_t count = 0;
  for (p = next_element(p + 1); p != nullptr; p = next_element(skip_value(p))) ++count;
  return count;
}

const char* number_end(const char* p) noexcept {
  const auto digits_end = [](const char* from) {
    while (is_digit(*from)) ++from;
    return from;
  };
  if (*p == '-') ++p;
  if (!is_digit(*p)) return nullptr;
  p = *p == '0' ? p + 1 : digits_end(p);
  if (*p == '.') {
    const char* const end = digits_end(p + 1);
    if (end == p + 1) return nullptr;
    p = end;
  }
  if (*p != 'e' && *p != 'E') return p;
  ++p;
  if (*p == '+' || *p == '-') ++p;
  const char* const end = digits_end(p);
  return end == p ? nullptr : end;
}

int escape_size(const char* p, const char* end) noexcept {
  if (end - p < 2) return 0;
  if (p[1] != 'u') return std::strchr("\"\\/bfnrt", p[1]) != nullptr && p[1] != '\0' ? 2 : 0;
  if (end - p < 6) return 0;
  const int first = hexadecimal(p + 2);
  if (first < 0 || is_low_surrogate(first)) return 0;
  if (!is_high_surrogate(first)) return 6;
  if (end - p < 12 || p[6] != '\\' || p[7] != 'u') return 0;
  const int second = hexadecimal(p + 8);
  return second >= 0 && is_low_surrogate(second) ? 12 : 0;
}

std::int64_t unescaped_size(std::string_view string) noexcept {
  std::int64_t size = 0;
  visit_string(
      string, [&size](const char* begin, const char* end) { size += end - begin; },
      [&size](std::uint32_t code) {
        std::array<char, 4> bytes{};
        size += write_character(code, bytes.data()) - bytes.data();
      });
  return size;
}

char* unescape(std::string_view string, char* out) noexcept {
  visit_string(
      string,
      [&out](const char* begin, const char* end) {
        const auto size = static_cast<std::size_t>(end - begin);
        if (size > 0) std::memcpy(out, begin, size);
        out += size;
      },
      [&out](std::uint32_t code) { out = write_character(code, out); });
  return out;
}

bool is_string(const char* quote, std::string_view name) {
  const char* const begin = quote + 1;
  const std::string_view text(begin, static_cast<std::size_t>(string_end(begin) - begin));
  if (text.find('\\') == std::string_view::npos) return text == name;
  std::string unescaped(text.size(), '\0');
  unescaped.resize(static_cast<std::size_t>(unescape(text, unescaped.data()) - unescaped.data()));
  return unescaped == name;
}

}  // namespace sheaf::jsonl
