#include "reference/json_tree.h"

#include <cstddef>
#include <utility>

namespace sheaf::conformance {
namespace {

bool is_json_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// Throws JsonFault at the first error.
class TreeParser {
 public:
  explicit TreeParser(std::string_view line) : line_(line) {}

  void parse(JsonNode& tree) {
    skip();
    if (next() != '{') fail(at_, "jsonl-object");
    value(tree, 1);
    skip();
    if (at_ != size()) fail(at_, "jsonl-json");
  }

 private:
  static constexpr int kEnd = -1;

  [[noreturn]] static void fail(std::int64_t at, std::string code) {
    throw JsonFault{at, std::move(code)};
  }

  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(line_.size()); }

  [[nodiscard]] int byte_at(std::int64_t at) const {
    return at < size() ? static_cast<unsigned char>(line_[static_cast<std::size_t>(at)]) : kEnd;
  }
  [[nodiscard]] int next() const { return byte_at(at_); }

  void skip() {
    while (next() != kEnd && is_json_space(static_cast<char>(next()))) ++at_;
  }

  void value(JsonNode& node, int depth) {
    node.at = at_;
    if (next() == '{' || next() == '[') {
      if (depth > 512) fail(at_, "jsonl-depth");
      return next() == '{' ? object(node, depth) : list(node, depth);
    }
    if (next() == '"') {
      node.kind = JsonNode::Kind::text;
      node.text = string();
      return;
    }
    // A word or a number extends to the byte that begins another token.
    std::int64_t end = at_;
    while (byte_at(end) != kEnd && !is_json_space(static_cast<char>(byte_at(end))) &&
           std::string_view("{}[]:,\"").find(static_cast<char>(byte_at(end))) ==
               std::string_view::npos) {
      ++end;
    }
    node.text = std::string(
        line_.substr(static_cast<std::size_t>(at_), static_cast<std::size_t>(end - at_)));
    if (node.text == "null") {
      node.kind = JsonNode::Kind::null;
    } else if (node.text == "true" || node.text == "false") {
      node.kind = JsonNode::Kind::truth;
    } else if (is_number(node.text)) {
      node.kind = JsonNode::Kind::number;
    } else {
      fail(at_, "jsonl-json");
    }
    at_ = end;
  }

  // [-] (0 | digit from 1, digits) [. digits] [e [+-] digits]
  static bool is_number(const std::string& text) {
    std::size_t i = 0;
    const auto digits = [&] {
      const std::size_t begin = i;
      while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
      return i - begin;
    };
    if (i < text.size() && text[i] == '-') ++i;
    const std::size_t first = i;
    const std::size_t count = digits();
    if (count == 0 || (count > 1 && text[first] == '0')) return false;
    if (i < text.size() && text[i] == '.') {
      ++i;
      if (digits() == 0) return false;
    }
    if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
      ++i;
      if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
      if (digits() == 0) return false;
    }
    return i == text.size();
  }

  void list(JsonNode& node, int depth) {
    node.kind = JsonNode::Kind::list;
    ++at_;
    skip();
    if (next() == ']') {
      ++at_;
      return;
    }
    for (;;) {
      skip();
      value(node.items.emplace_back(), depth + 1);
      skip();
      if (next() == ']') break;
      if (next() != ',') fail(at_, "jsonl-json");
      ++at_;
    }
    ++at_;
  }

  void object(JsonNode& node, int depth) {
    node.kind = JsonNode::Kind::object;
    ++at_;
    skip();
    if (next() == '}') {
      ++at_;
      return;
    }
    for (;;) {
      skip();
      JsonMember& member = node.members.emplace_back();
      member.at = at_;
      if (next() != '"') fail(at_, "jsonl-json");
      member.name = string();
      skip();
      if (next() != ':') fail(at_, "jsonl-json");
      ++at_;
      skip();
      value(member.value, depth + 1);
      skip();
      if (next() == '}') break;
      if (next() != ',') fail(at_, "jsonl-json");
      ++at_;
    }
    ++at_;
  }

  std::string string() {
    const std::int64_t quote = at_++;
    std::string text;
    for (;;) {
      const int byte = next();
      if (byte == kEnd) fail(quote, "jsonl-text");
      if (byte == '"') break;
      if (byte < 0x20) fail(at_, "jsonl-control");
      if (byte == '\\') {
        escape(text);
      } else if (byte < 0x80) {
        text += static_cast<char>(byte);
        ++at_;
      } else {
        character(text);
      }
    }
    ++at_;
    return text;
  }

  // Returns the value of four hexadecimal digits, or -1.
  [[nodiscard]] int hexadecimal(std::int64_t at) const {
    int number = 0;
    for (int i = 0; i < 4; ++i) {
      const int byte = byte_at(at + i);
      int digit = 0;
      if (byte >= '0' && byte <= '9') {
        digit = byte - '0';
      } else if (byte >= 'a' && byte <= 'f') {
        digit = byte - 'a' + 10;
      } else if (byte >= 'A' && byte <= 'F') {
        digit = byte - 'A' + 10;
      } else {
        return -1;
      }
      number = 16 * number + digit;
    }
    return number;
  }

  void escape(std::string& text) {
    const int letter = byte_at(at_ + 1);
    const std::string_view letters = "\"\\/bfnrt";
    const std::string_view meanings = "\"\\/\b\f\n\r\t";
    if (letter != 'u') {
      const std::size_t which =
          letter == kEnd ? std::string_view::npos : letters.find(static_cast<char>(letter));
      if (which == std::string_view::npos) fail(at_, "jsonl-escape");
      text += meanings[which];
      at_ += 2;
      return;
    }
    int code = hexadecimal(at_ + 2);
    if (code < 0 || (code >= 0xDC00 && code <= 0xDFFF)) fail(at_, "jsonl-escape");
    std::int64_t length = 6;
    if (code >= 0xD800 && code <= 0xDBFF) {
      const int low =
          byte_at(at_ + 6) == '\\' && byte_at(at_ + 7) == 'u' ? hexadecimal(at_ + 8) : -1;
      if (low < 0xDC00 || low > 0xDFFF) fail(at_, "jsonl-escape");
      code = 0x10000 + 0x400 * (code - 0xD800) + (low - 0xDC00);
      length = 12;
    }
    append(text, code);
    at_ += length;
  }

  static void append(std::string& text, int code) {
    const auto add = [&text](int byte) { text += static_cast<char>(byte); };
    if (code < 0x80) {
      add(code);
    } else if (code < 0x800) {
      add(0xC0 + code / 64);
      add(0x80 + code % 64);
    } else if (code < 0x10000) {
      add(0xE0 + code / 4096);
      add(0x80 + code / 64 % 64);
      add(0x80 + code % 64);
    } else {
      add(0xF0 + code / 262144);
      add(0x80 + code / 4096 % 64);
      add(0x80 + code / 64 % 64);
      add(0x80 + code % 64);
    }
  }

  // A character of several bytes is right if encoding its code gives the same bytes.
  void character(std::string& text) {
    const int first = next();
    const int length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    int code = length == 4 ? first - 0xF0 : length == 3 ? first - 0xE0 : first - 0xC0;
    for (int i = 1; i < length; ++i) {
      const int byte = byte_at(at_ + i);
      if (byte < 0x80 || byte > 0xBF) fail(at_, "jsonl-utf8");
      code = 64 * code + (byte - 0x80);
    }
    if (code < 0x80 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
      fail(at_, "jsonl-utf8");
    std::string again;
    append(again, code);
    if (again != line_.substr(static_cast<std::size_t>(at_), static_cast<std::size_t>(length))) {
      fail(at_, "jsonl-utf8");
    }
    text += again;
    at_ += length;
  }

  const std::string_view line_;
  std::int64_t at_ = 0;
};

}  // namespace

std::optional<JsonFault> parse_json_line(std::string_view line, JsonNode& tree) {
  try {
    TreeParser(line).parse(tree);
  } catch (JsonFault& fault) {
    return std::move(fault);
  }
  return std::nullopt;
}

}  // namespace sheaf::conformance
