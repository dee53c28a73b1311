#include "dataset/json_fields.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/nearest.h"

#include "base/text.h"
#include "core/json_text.h"

namespace sheaf::internal {
namespace {

using Json = nlohmann::ordered_json;

// Returns a whole number that a signed 64-bit integer can hold. nlohmann keeps larger numbers
// unsigned, and numbers beyond 64 bits as a double.
std::optional<std::int64_t> whole_of(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(kCountMax)) return std::nullopt;
    return static_cast<std::int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  return std::nullopt;
}

std::string expected_whole(const Whole& range) {
  std::string text = range.max == kCountMax
                         ? formatted("a whole number, at least {}", range.min)
                         : formatted("a whole number from {} to {}", range.min, range.max);
  if (!range.word.empty()) text += formatted(", or \"{}\"", range.word);
  return text;
}

}  // namespace

void refuse_json(const std::string& location, std::string_view expected, const Json& found) {
  throw ConfigError(formatted("{}: expected {}, found {}", location, expected, shown_json(found)));
}

std::string text_of_json(const Json& value, const std::string& location) {
  std::optional<std::string> text = bytes_of_json(value);
  if (!text) refuse_json(location, "a text", value);
  return *std::move(text);
}

std::int64_t whole_of_json(const Json& value, const std::string& location, const Whole& range) {
  if (!range.word.empty() && value.is_string() && value.get<std::string>() == range.word) {
    return range.meaning.value();
  }
  const std::optional<std::int64_t> number = whole_of(value);
  if (!number || *number < range.min || *number > range.max) {
    refuse_json(location, expected_whole(range), value);
  }
  return *number;
}

JsonFields::JsonFields(const Json& object, std::string location, std::string_view separator)
    : object_(object), location_(std::move(location)), separator_(separator) {
  if (!object.is_object()) refuse_json(location_, "an object", object);
}

const Json* JsonFields::find(std::string_view name) {
  asked_.emplace_back(name);
  const auto found = object_.find(name);
  return found == object_.end() ? nullptr : &*found;
}

std::string JsonFields::location_of(std::string_view name) const {
  return formatted("{}{}{}", location_, separator_, name);
}

void JsonFields::check_all_known() const {
  for (const auto& [name, value] : object_.items()) {
    if (std::ranges::find(asked_, name) != asked_.end()) continue;
    const std::string nearest = nearest_name(name, asked_);
    const std::string hint = nearest.empty() ? "" : formatted("; did you mean \"{}\"?", nearest);
    throw ConfigError(formatted("{}: unknown name {}{}", location_, shown_json(Json(name)), hint));
  }
}

void JsonFields::whole(std::string_view name, std::int64_t& value, std::int64_t otherwise,
                       const Whole& range) {
  const Json* const found = find(name);
  value = found == nullptr ? otherwise : whole_of_json(*found, location_of(name), range);
}

void JsonFields::whole(std::string_view name, std::optional<std::int64_t>& value,
                       const std::optional<std::int64_t>& otherwise, const Whole& range) {
  const Json* const found = find(name);
  value = otherwise;
  if (found == nullptr) return;
  const bool is_word =
      !range.word.empty() && found->is_string() && found->get<std::string>() == range.word;
  value = is_word ? range.meaning : whole_of_json(*found, location_of(name), range);
}

void JsonFields::seed(std::string_view name, std::uint64_t& value, std::uint64_t otherwise) {
  const Json* const found = find(name);
  value = otherwise;
  if (found == nullptr) return;
  if (!found->is_number_unsigned()) {
    refuse_json(location_of(name), "a whole number from 0 to 18446744073709551615", *found);
  }
  value = found->get<std::uint64_t>();
}

void JsonFields::truth(std::string_view name, bool& value, bool otherwise) {
  const Json* const found = find(name);
  value = otherwise;
  if (found == nullptr) return;
  if (!found->is_boolean()) refuse_json(location_of(name), "true or false", *found);
  value = found->get<bool>();
}

void JsonFields::text(std::string_view name, std::string& value, const std::string& otherwise) {
  const Json* const found = find(name);
  value = found == nullptr ? otherwise : text_of_json(*found, location_of(name));
}

void JsonFields::texts(std::string_view name, std::map<std::string, std::string>& values) {
  const Json* const found = find(name);
  if (found == nullptr) return;
  if (!found->is_object()) refuse_json(location_of(name), "an object", *found);
  for (const auto& [each, value] : found->items()) {
    const std::string location = formatted("{}.{}", location_of(name), each);
    // A number or a truth value stands for its text.
    const bool is_plain = value.is_number() || value.is_boolean();
    values[each] = is_plain ? value.dump() : text_of_json(value, location);
  }
}

void JsonFields::names(std::string_view name, std::vector<std::string>& values) {
  const Json* const found = find(name);
  if (found == nullptr) return;
  const auto add = [&](const Json& value, const std::string& location) {
    values.push_back(text_of_json(value, location));
    if (values.back().empty()) refuse_json(location, "the name of a stream", value);
  };
  values.clear();
  if (!found->is_array()) return add(*found, location_of(name));
  for (std::size_t i = 0; i < found->size(); ++i) {
    add((*found)[i], formatted("{}[{}]", location_of(name), i));
  }
}

void JsonFields::numbers(std::string_view name,
                         std::map<std::string, PadValue, std::less<>>& values) {
  const Json* const found = find(name);
  if (found == nullptr) return;
  if (!found->is_object()) refuse_json(location_of(name), "an object", *found);
  for (const auto& [each, value] : found->items()) {
    const bool is_whole = value.is_number_integer();
    const bool is_too_large = value.is_number_unsigned() &&
                              value.get<std::uint64_t>() > static_cast<std::uint64_t>(kCountMax);
    if (!value.is_number() || is_too_large) {
      refuse_json(formatted("{}.{}", location_of(name), each), "a number of 64 bits", value);
    }
    values[each] = is_whole ? PadValue(value.get<std::int64_t>()) : PadValue(value.get<double>());
  }
}

std::optional<std::size_t> JsonFields::index_of_word(std::string_view name,
                                                     std::span<const std::string_view> words) {
  const Json* const found = find(name);
  if (found == nullptr) return std::nullopt;
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (found->is_string() && found->get<std::string>() == words[i]) return i;
    const std::string_view separator = i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
    all += formatted("{}\"{}\"", separator, words[i]);
  }
  refuse_json(location_of(name), all, *found);
}

}  // namespace sheaf::internal
