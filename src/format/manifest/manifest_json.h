// Checks JSON texts, and splits them into their members.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf::manifest {

enum class JsonKind : std::uint8_t { null, boolean, number, string, array, object };

/// A value as written. A string has its quotes.
///
/// Lifetime: that of the text.
struct JsonValue {
  JsonKind kind = JsonKind::null;
  std::string_view text;
};

/// A member of an object, or an element of an array.
struct JsonMember {
  std::string_view name;  // as written, without quotes; empty in an array
  JsonValue value;
};

/// The largest depth of nested values.
inline constexpr int kJsonDepthMax = 64;

/// The location where a text stops being JSON, and the expected text.
struct JsonFault {
  std::size_t begin = 0;
  std::string_view expected;
};

/// Checks a text that is one value with blanks around it. Stores the members of an object, or the
/// elements of an array, in `members`. Any other value has none.
///
/// Errors: a text that is not JSON, including strings that are not UTF-8, halves of surrogate
///         pairs, and values nested deeper than kJsonDepthMax. `members` is then meaningless.
/// Cost:   one pass; allocates only `members`.
[[nodiscard]] std::optional<JsonFault> parse_json_text(std::string_view text, JsonValue& value,
                                                       std::vector<JsonMember>& members);

/// Returns the text that a string stands for. The text is no longer than the string.
///
/// Pre: `string` is the text between the quotes of a string that parse_json_text() accepted.
[[nodiscard]] std::string unescaped_json(std::string_view string);

/// Returns the text between the quotes of a string.
[[nodiscard]] inline std::string_view inside_quotes(const JsonValue& string) noexcept {
  return string.text.substr(1, string.text.size() - 2);
}

/// Returns whether a member has a name, after replacing escapes.
[[nodiscard]] bool is_named(const JsonMember& member, std::string_view name);

}  // namespace sheaf::manifest
