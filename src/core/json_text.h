// Texts of any bytes in JSON, and JSON in messages.
//
// JSON holds text. A value that is no UTF-8, a stream's name for one, is written as an object whose
// only field has a character from U+0000 to U+00FF for each byte: {"latin-1": "caf\u00e9"}.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace sheaf::internal {

/// Returns a text, or the bytes of a text that is no UTF-8, as JSON.
[[nodiscard]] nlohmann::ordered_json json_of_bytes(const std::string& bytes);

/// Returns the bytes that json_of_bytes() was given; nothing where `value` is no such thing.
[[nodiscard]] std::optional<std::string> bytes_of_json(const nlohmann::ordered_json& value);

/// Returns a value as it stands in the text of an error: JSON, cut where it is long.
[[nodiscard]] std::string shown_json(const nlohmann::ordered_json& value);

/// Parses a text. `name` is what messages call the text.
///
/// Throws: ConfigError where the text is not JSON, with line and column; where an object has a name
///         twice; where values are nested deeper than 64.
[[nodiscard]] nlohmann::ordered_json parse_json(std::string_view text, const std::string& name);

}  // namespace sheaf::internal
