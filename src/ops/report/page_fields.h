// Fields of the JSON of a report. A field that is absent, or of another type, is left out of the
// page.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace sheaf::internal::page {

using Json = nlohmann::ordered_json;

/// Returns a field of an object, or null.
///
/// Lifetime: the result is a part of `from`, or lives as long as the program.
[[nodiscard]] const Json& field(const Json& from, const char* name);

/// Returns the elements of a list; none where the field is no list.
///
/// Lifetime: as that of field().
[[nodiscard]] const Json::array_t& list_in(const Json& from, const char* name);

/// Returns an element of a list, or null.
[[nodiscard]] const Json& element(const Json& list, std::size_t index);

[[nodiscard]] std::optional<double> number_in(const Json& from, const char* name);

/// Returns a whole number, or nothing.
[[nodiscard]] std::optional<std::int64_t> count_in(const Json& from, const char* name);

/// Returns a text, or an empty one.
[[nodiscard]] std::string text_in(const Json& from, const char* name);

/// Returns a value as HTML: a whole number with all its digits, another number with four, and a
/// text with its markup escaped. Anything else gives an empty text.
[[nodiscard]] std::string value_html(const Json& value);

/// Returns what an optional number is as HTML; an empty text without one.
template <typename Number, typename Text>
[[nodiscard]] std::string shown_if(const std::optional<Number>& number, Text&& text) {
  return number ? text(*number) : std::string();
}

}  // namespace sheaf::internal::page
