// Stores texts of any bytes in JSON, and formats JSON for messages.
//
// JSON strings are Unicode. A text that is not UTF-8, such as the name of a stream, is written as
// an object. Its only field has one character from U+0000 to U+00FF for each byte: {"latin-1":
// "caf\u00e9"}.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace sheaf::internal {

/// Returns a text as JSON. The text need not be UTF-8.
[[nodiscard]] nlohmann::ordered_json json_of_bytes(const std::string& bytes);

/// Returns the argument of json_of_bytes(). Returns nothing if `value` is not a result of
/// json_of_bytes().
[[nodiscard]] std::optional<std::string> bytes_of_json(const nlohmann::ordered_json& value);

/// Returns a value as JSON for a message. Truncates long values.
[[nodiscard]] std::string shown_json(const nlohmann::ordered_json& value);

/// Parses a text. `name` is the name of the text in messages.
///
/// Throws: ConfigError if the text is not JSON, with line and column; if an object has a name
///         twice; or if values are nested deeper than 64.
[[nodiscard]] nlohmann::ordered_json parse_json(std::string_view text, const std::string& name);

}  // namespace sheaf::internal
