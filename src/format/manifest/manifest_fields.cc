#include "format/manifest/manifest_fields.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

#include "sheaf/diagnostic.h"

#include "base/text.h"

namespace sheaf::manifest {
namespace {

// Returns nothing if the value is not a number that a double can represent.
std::optional<double> number_of(const JsonValue& value) {
  if (value.kind != JsonKind::number) return std::nullopt;
  double number = 0;
  const char* const end = value.text.data() + value.text.size();
  const auto [next, error] = std::from_chars(value.text.data(), end, number);
  if (error != std::errc() || next != end || !std::isfinite(number)) return std::nullopt;
  return number;
}

}  // namespace

std::optional<std::int64_t> count_of(const JsonValue& value) {
  const std::optional<double> number = number_of(value);
  constexpr double kMax = std::numeric_limits<std::int32_t>::max();
  if (!number || *number < 0 || *number > kMax || std::trunc(*number) != *number) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*number);
}

void JsonFields::refuse(const ErrorKind& kind, std::string_view name,
                        const JsonValue& value) const {
  faults_.add(kind, value.text, formatted("{} as {}", quoted(value.text), quoted(name)));
}

const JsonValue* JsonFields::find(std::string_view name) const {
  const JsonValue* found = nullptr;
  for (const JsonMember& member : members_) {
    if (!is_named(member, name)) continue;
    if (found != nullptr) {
      faults_.add(kRepeatedField, member.name, formatted("{} twice", quoted(name)));
      return nullptr;
    }
    found = &member.value;
  }
  return found != nullptr && found->kind == JsonKind::null ? nullptr : found;
}

const JsonValue* JsonFields::need(std::string_view name) const {
  const JsonValue* const found = find(name);
  if (found == nullptr) {
    faults_.add(kNoField, faults_.location_of(text_.substr(0, 1)),
                formatted("no {}", quoted(name)));
  }
  return found;
}

std::string JsonFields::string(std::string_view name) const {
  const JsonValue* const value = need(name);
  if (value == nullptr) return {};
  if (value->kind == JsonKind::string) return unescaped_json(inside_quotes(*value));
  refuse(kString, name, *value);
  return {};
}

std::optional<std::string> JsonFields::text(std::string_view name) const {
  const JsonValue* const value = find(name);
  if (value == nullptr) return std::nullopt;
  if (value->kind == JsonKind::string) return unescaped_json(inside_quotes(*value));
  if (value->kind == JsonKind::number) return std::string(value->text);
  refuse(kText, name, *value);
  return std::nullopt;
}

std::optional<double> JsonFields::number(std::string_view name, const ErrorKind& kind) const {
  const JsonValue* const value = find(name);
  if (value == nullptr) return std::nullopt;
  const std::optional<double> number = number_of(*value);
  if (!number || *number < 0) refuse(kind, name, *value);
  return number && *number >= 0 ? *number : 0;
}

std::optional<double> JsonFields::seconds(std::string_view name) const {
  return number(name, kSeconds);
}

double JsonFields::positive(std::string_view name) const {
  const JsonValue* const value = need(name);
  if (value == nullptr) return 1;
  const double found = number(name, kPositive).value_or(1);
  if (found > 0) return found;
  refuse(kPositive, name, *value);
  return 1;
}

std::optional<std::int64_t> JsonFields::count(std::string_view name) const {
  const JsonValue* const value = find(name);
  if (value == nullptr) return std::nullopt;
  const std::optional<std::int64_t> count = count_of(*value);
  if (!count) refuse(kCount, name, *value);
  return count.value_or(0);
}

JsonFields JsonFields::object(std::string_view name) const {
  std::vector<JsonMember> members;
  const JsonValue* const value = need(name);
  if (value == nullptr) return {text_, {}, faults_};
  if (value->kind != JsonKind::object) {
    refuse(kObject, name, *value);
    return {value->text, {}, faults_};
  }
  JsonValue whole;
  static_cast<void>(parse_json_text(value->text, whole, members));  // the line was checked
  return {value->text, std::move(members), faults_};
}

std::vector<JsonMember> JsonFields::elements(std::string_view name) const {
  std::vector<JsonMember> elements;
  const JsonValue* const value = find(name);
  if (value == nullptr) return elements;
  if (value->kind != JsonKind::array) {
    refuse(kArray, name, *value);
    return elements;
  }
  JsonValue whole;
  static_cast<void>(parse_json_text(value->text, whole, elements));
  return elements;
}

std::vector<JsonFields> JsonFields::objects(std::string_view name) const {
  std::vector<JsonFields> objects;
  for (const JsonMember& element : elements(name)) {
    if (element.value.kind != JsonKind::object) {
      refuse(kObject, name, element.value);
      break;
    }
    std::vector<JsonMember> members;
    JsonValue whole;
    static_cast<void>(parse_json_text(element.value.text, whole, members));
    objects.emplace_back(element.value.text, std::move(members), faults_);
  }
  return objects;
}

}  // namespace sheaf::manifest
