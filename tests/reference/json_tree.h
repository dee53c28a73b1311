/// \file
/// Parses one line of JSON into a tree, by recursive descent: RFC 8259, byte by byte. Strings must
/// be UTF-8 without single surrogates.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf::conformance {

struct JsonMember;

struct JsonNode {
  enum class Kind { null, truth, number, text, list, object };

  Kind kind = Kind::null;
  std::int64_t at = 0;  // the offset of its first byte in the line
  std::string text;     // a text without escapes; a number or a word as it is written
  std::vector<JsonNode> items;
  std::vector<JsonMember> members;
};

struct JsonMember {
  std::int64_t at = 0;  // the offset of the quote before the name
  std::string name;
  JsonNode value;
};

/// The first error of a line.
struct JsonFault {
  std::int64_t at = 0;
  std::string code;
};

/// Parses a line. Returns the first error, if any. The tree is then unusable.
[[nodiscard]] std::optional<JsonFault> parse_json_line(std::string_view line, JsonNode& tree);

}  // namespace sheaf::conformance
