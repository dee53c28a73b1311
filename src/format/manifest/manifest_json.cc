#include "format/manifest/manifest_json.h"

#include <algorithm>
#include <cassert>
#include <charconv>

#include "base/utf8.h"

namespace sheaf::manifest {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

bool is_hex(char c) noexcept {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Returns the value of four hexadecimal digits.
std::uint32_t hex_at(std::string_view text, std::size_t at) noexcept {
  std::uint32_t number = 0;
  std::from_chars(text.data() + at, text.data() + at + 4, number, 16);
  return number;
}

bool is_high_surrogate(std::uint32_t code) noexcept { return code >= 0xD800 && code < 0xDC00; }
bool is_low_surrogate(std::uint32_t code) noexcept { return code >= 0xDC00 && code < 0xE000; }

void append_utf8(std::uint32_t code, std::string& text) {
  const auto add = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
  const auto add_tail = [&](int shift) { add(0x80U | (code >> shift & 0x3FU)); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xC0U | code >> 6);
    add_tail(0);
  } else if (code < 0x10000) {
    add(0xE0U | code >> 12);
    add_tail(6);
    add_tail(0);
  } else {
    add(0xF0U | code >> 18);
    add_tail(12);
    add_tail(6);
    add_tail(0);
  }
}

/// Scans a text once. Each take_() leaves `at_` after the text that it took, or at the fault.
class JsonScan {
 public:
  JsonScan(std::string_view text, std::vector<JsonMember>& members)
      : text_(text), members_(members) {}

  std::optional<JsonFault> run(JsonValue& value) {
    skip_blanks();
    if (!take_value(0, value)) return JsonFault{at_, expected_};
    skip_blanks();
    if (at_ < text_.size()) return JsonFault{at_, "nothing behind the value"};
    return std::nullopt;
  }

 private:
  // Returns 0 at the end, and for a byte of value 0, which is never valid outside of strings.
  [[nodiscard]] char here() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_blanks() noexcept {
    while (at_ < text_.size() && kBlanks.find(text_[at_]) != std::string_view::npos) ++at_;
  }

  bool fail(std::string_view expected) noexcept {
    expected_ = expected;
    return false;
  }

  bool take_value(int depth, JsonValue& value) {
    const std::size_t begin = at_;
    if (!take_by_kind(depth, value.kind)) return false;
    value.text = text_.substr(begin, at_ - begin);
    return true;
  }

  bool take_by_kind(int depth, JsonKind& kind) {
    switch (here()) {
      case '{':
        kind = JsonKind::object;
        return take_members('}', depth);
      case '[':
        kind = JsonKind::array;
        return take_members(']', depth);
      case '"':
        kind = JsonKind::string;
        return take_string();
      case 't':
        kind = JsonKind::boolean;
        return take_word("true");
      case 'f':
        kind = JsonKind::boolean;
        return take_word("false");
      case 'n':
        kind = JsonKind::null;
        return take_word("null");
      default:
        kind = JsonKind::number;
        return take_number();
    }
  }

  bool take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return fail("a JSON value");
    at_ += word.size();
    return true;
  }

  bool take_digits() {
    if (!is_digit(here())) return fail("a digit");
    while (is_digit(here())) ++at_;
    return true;
  }

  bool take_number() {
    const bool is_negative = here() == '-';
    if (is_negative) ++at_;
    if (!is_digit(here())) return fail(is_negative ? "a digit" : "a JSON value");
    if (here() == '0') {
      ++at_;
    } else if (!take_digits()) {
      return false;
    }
    if (here() == '.') {
      ++at_;
      if (!take_digits()) return false;
    }
    if (here() == 'e' || here() == 'E') {
      ++at_;
      if (here() == '+' || here() == '-') ++at_;
      if (!take_digits()) return false;
    }
    return true;
  }

  bool take_string() {
    ++at_;
    const std::size_t begin = at_;
    bool is_ascii = true;
    while (at_ < text_.size()) {
      const auto byte = static_cast<unsigned char>(text_[at_]);
      if (byte == '"') {
        const std::string_view inside = text_.substr(begin, at_ - begin);
        if (!is_ascii && !internal::is_utf8(inside)) {
          at_ = begin;
          return fail("a string in UTF-8");
        }
        ++at_;
        return true;
      }
      if (byte < 0x20) return fail("a string without control characters");
      is_ascii = is_ascii && byte < 0x80;
      if (byte != '\\') {
        ++at_;
      } else if (!take_escape()) {
        return false;
      }
    }
    return fail("a quote at the end of the string");
  }

  bool take_escape() {
    constexpr std::string_view kShort = "\"\\/bfnrt";
    const char letter = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (letter == 'u') return take_code_points();
    if (letter == '\0' || kShort.find(letter) == std::string_view::npos) {
      return fail("an escape of JSON");
    }
    at_ += 2;
    return true;
  }

  [[nodiscard]] bool has_unit(std::size_t at) const {
    const std::string_view unit = text_.substr(std::min(at, text_.size()), 6);
    return unit.size() == 6 && unit.starts_with("\\u") &&
           std::ranges::all_of(unit.substr(2), is_hex);
  }

  bool take_code_points() {
    if (!has_unit(at_)) return fail("four hexadecimal digits");
    const std::uint32_t code = hex_at(text_, at_ + 2);
    if (is_low_surrogate(code)) return fail("a surrogate pair");
    if (!is_high_surrogate(code)) {
      at_ += 6;
      return true;
    }
    if (!has_unit(at_ + 6) || !is_low_surrogate(hex_at(text_, at_ + 8))) {
      return fail("a surrogate pair");
    }
    at_ += 12;
    return true;
  }

  // Takes an object or an array. At the top level, keeps its members.
  bool take_members(char end, int depth) {
    if (depth >= kJsonDepthMax) return fail("values that are nested less deep");
    const bool is_object = end == '}';
    ++at_;
    skip_blanks();
    if (here() == end) {
      ++at_;
      return true;
    }
    while (true) {
      JsonMember member;
      if (is_object && !take_name(member.name)) return false;
      if (!take_value(depth + 1, member.value)) return false;
      if (depth == 0) members_.push_back(member);
      skip_blanks();
      if (here() == end) break;
      if (here() != ',') return fail(is_object ? "a comma or }" : "a comma or ]");
      ++at_;
      skip_blanks();
    }
    ++at_;
    return true;
  }

  bool take_name(std::string_view& name) {
    if (here() != '"') return fail("a name in quotes");
    const std::size_t begin = at_ + 1;
    if (!take_string()) return false;
    name = text_.substr(begin, at_ - 1 - begin);
    skip_blanks();
    if (here() != ':') return fail("a colon behind the name");
    ++at_;
    skip_blanks();
    return true;
  }

  const std::string_view text_;
  std::vector<JsonMember>& members_;
  std::size_t at_ = 0;
  std::string_view expected_;
};

}  // namespace

std::optional<JsonFault> parse_json_text(std::string_view text, JsonValue& value,
                                         std::vector<JsonMember>& members) {
  members.clear();
  return JsonScan(text, members).run(value);
}

std::string unescaped_json(std::string_view string) {
  std::string text;
  text.reserve(string.size());
  while (true) {
    const std::size_t escape = std::min(string.find('\\'), string.size());
    text += string.substr(0, escape);
    if (escape == string.size()) return text;
    assert(escape + 1 < string.size());
    const char letter = string[escape + 1];
    string.remove_prefix(escape + 2);
    if (letter == 'u') {
      std::uint32_t code = hex_at(string, 0);
      std::size_t size = 4;
      if (is_high_surrogate(code)) {
        code = 0x10000 + ((code - 0xD800) << 10) + (hex_at(string, 6) - 0xDC00);
        size = 10;
      }
      append_utf8(code, text);
      string.remove_prefix(size);
      continue;
    }
    constexpr std::string_view kLetters = "bfnrt";
    constexpr std::string_view kStandFor = "\b\f\n\r\t";
    const std::size_t known = kLetters.find(letter);
    text += known == std::string_view::npos ? letter : kStandFor[known];
  }
}

bool is_named(const JsonMember& member, std::string_view name) {
  if (member.name.find('\\') == std::string_view::npos) return member.name == name;
  return unescaped_json(member.name) == name;
}

}  // namespace sheaf::manifest
