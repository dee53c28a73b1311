/// \file
/// One line of JSON as a tree, by recursive descent: RFC 8259, byte by byte. Strings have to be
/// UTF-8, without single surrogates.

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
  std::int64_t at = 0;  // its first byte, from the beginning of the line
  std::string text;     // of a text, without escapes; of a number or a word, as it stands there
  std::vector<JsonNode> items;
  std::vector<JsonMember> members;
};

struct JsonMember {
  std::int64_t at = 0;  // the quote before the name
  std::string name;
  JsonNode value;
};

/// What is wrong with a line first.
struct JsonFault {
  std::int64_t at = 0;
  std::string code;
};

/// Parse a line. Returns what is wrong, where something is: then the tree is of no use.
[[nodiscard]] std::optional<JsonFault> parse_json_line(std::string_view line, JsonNode& tree);

}  // namespace sheaf::conformance
