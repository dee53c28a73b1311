// Reads fields of the JSON of a report. The page leaves out fields that are absent or of another
// type.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace sheaf::internal::page {

using Json = nlohmann::ordered_json;

/// Returns a field of an object, or null.
///
/// Lifetime: the result belongs to `from`, or lives as long as the program.
[[nodiscard]] const Json& field(const Json& from, const char* name);

/// Returns the elements of a list, or no elements if the field is not a list.
///
/// Lifetime: as for field().
[[nodiscard]] const Json::array_t& list_in(const Json& from, const char* name);

/// Returns an element of a list, or null.
[[nodiscard]] const Json& element(const Json& list, std::size_t index);

[[nodiscard]] std::optional<double> number_in(const Json& from, const char* name);

/// Returns an integer field, or nothing.
[[nodiscard]] std::optional<std::int64_t> count_in(const Json& from, const char* name);

/// Returns a text field, or an empty text.
[[nodiscard]] std::string text_in(const Json& from, const char* name);

/// Returns a value as HTML: an integer with all digits, another number with four digits, a text
/// with its markup escaped. Returns an empty text for anything else.
[[nodiscard]] std::string value_html(const Json& value);

/// Converts an optional number to HTML. Returns an empty text without a number.
template <typename Number, typename Text>
[[nodiscard]] std::string shown_if(const std::optional<Number>& number, Text&& text) {
  return number ? text(*number) : std::string();
}

}  // namespace sheaf::internal::page
