// JSON texts, checked and cut into their members.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf::manifest {

enum class JsonKind : std::uint8_t { null, boolean, number, string, array, object };

/// A value as it is written: a string with its quotes.
///
/// Lifetime: that of the text.
struct JsonValue {
  JsonKind kind = JsonKind::null;
  std::string_view text;
};

/// A member of an object, or an element of an array.
struct JsonMember {
  std::string_view name;  // as it is written, without quotes; empty in an array
  JsonValue value;
};

/// Values may be nested so deep.
inline constexpr int kJsonDepthMax = 64;

/// Where a text is no JSON, and what would have to be there.
struct JsonFault {
  std::size_t begin = 0;
  std::string_view expected;
};

/// Checks a text that is one value with blanks around it. An object leaves its members and an array
/// its elements in `members`; another value leaves none.
///
/// Errors: a text that is no JSON: also strings that are no UTF-8, halves of surrogate pairs,
///         values nested deeper than kJsonDepthMax. `members` is of no use then.
/// Cost:   one pass, no allocation but that of `members`.
[[nodiscard]] std::optional<JsonFault> parse_json_text(std::string_view text, JsonValue& value,
                                                       std::vector<JsonMember>& members);

/// Returns the text that a string stands for. The text is no longer than the string.
///
/// Pre: `string` is what lies between the quotes of a string that parse_json_text() took.
[[nodiscard]] std::string unescaped_json(std::string_view string);

/// Returns what lies between the quotes of a string.
[[nodiscard]] inline std::string_view inside_quotes(const JsonValue& string) noexcept {
  return string.text.substr(1, string.text.size() - 2);
}

/// Returns whether a member has a name, which is written without escapes or with some.
[[nodiscard]] bool is_named(const JsonMember& member, std::string_view name);

}  // namespace sheaf::manifest
