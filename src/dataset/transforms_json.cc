#include "dataset/transforms_json.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "sheaf/error.h"
#include "sheaf/extend/transform_list.h"

#include "base/number_text.h"
#include "base/text.h"
#include "core/json_text.h"
#include "dataset/json_fields.h"
#include "transform/transform_types.h"

namespace sheaf::internal {
namespace {

using Json = nlohmann::ordered_json;

// Names that are not options.
constexpr std::string_view kType = "type";
constexpr std::string_view kStreams = "streams";
constexpr std::string_view kAs = "as";

std::string number_text(const Json& number) {
  if (!number.is_number_float()) return number.dump();
  char text[kNumberTextRoom];
  return {text, write_number(text, number.get<double>())};
}

std::string option_of(const Json& value, const std::string& location) {
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number()) return number_text(value);
  if (value.is_array()) {
    std::string all;
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (!value[i].is_number())
        refuse_json(formatted("{}[{}]", location, i), "a number", value[i]);
      all += (i == 0 ? "" : " ") + number_text(value[i]);
    }
    return all;
  }
  std::optional<std::string> text = bytes_of_json(value);
  if (!text) refuse_json(location, "a number, a text, true, false or a list of numbers", value);
  return *std::move(text);
}

TransformSpec transform_of_object(const Json& json, const std::string& location) {
  JsonFields fields(json, location);
  TransformSpec spec;
  fields.text(kType, spec.type, "");
  if (spec.type.empty()) {
    throw ConfigError(
        formatted("{}: expected the type of a transform, found none", fields.location_of(kType)));
  }
  const TransformType* const type = transform_type(spec.type);
  if (type == nullptr) {
    throw ConfigError(
        formatted("{}: {}", fields.location_of(kType), unknown_transform_type(spec.type)));
  }
  fields.names(kStreams, spec.streams);
  fields.names(kAs, spec.as);
  for (const TransformOption& option : type->options) {
    const Json* const found = fields.find(option.name);
    if (found == nullptr) continue;
    spec.options.emplace(option.name, option_of(*found, fields.location_of(option.name)));
  }
  fields.check_all_known();
  return spec;
}

TransformSpec transform_of(const Json& json, const std::string& location) {
  if (!json.is_string() && !json.is_object()) {
    refuse_json(location, "an object or a text", json);
  }
  const std::optional<std::string> text = bytes_of_json(json);
  TransformSpec spec;
  if (!text) spec = transform_of_object(json, location);
  try {
    if (text) return named_transform(*text);
    check_transform(spec);
  } catch (const ConfigError& error) {
    throw ConfigError(formatted("{}: {}", location, error.what()));
  }
  return spec;
}

// Returns a number if its shortest text is exactly `text`, and otherwise the text.
Json json_of_option(const std::string& text) {
  if (text.size() > kNumberTextMax) return json_of_bytes(text);
  const Json number = Json::parse(text, nullptr, false);
  const bool is_finite = number.is_number() && std::isfinite(number.get<double>());
  return is_finite && number_text(number) == text ? number : json_of_bytes(text);
}

Json json_of_names(const std::vector<std::string>& names) {
  Json list = Json::array();
  for (const std::string& name : names) list.push_back(json_of_bytes(name));
  return list;
}

}  // namespace

std::vector<TransformSpec> transforms_of_json(const Json& list, const std::string& location) {
  if (!list.is_array()) refuse_json(location, "a list of transforms", list);
  std::vector<TransformSpec> transforms;
  for (std::size_t i = 0; i < list.size(); ++i) {
    transforms.push_back(transform_of(list[i], formatted("{}[{}]", location, i)));
  }
  return transforms;
}

Json json_of_transforms(const std::vector<TransformSpec>& transforms) {
  Json list = Json::array();
  for (const TransformSpec& spec : transforms) {
    Json object = {{kType, json_of_bytes(spec.type)}};
    if (!spec.streams.empty()) object[std::string(kStreams)] = json_of_names(spec.streams);
    if (!spec.as.empty()) object[std::string(kAs)] = json_of_names(spec.as);
    for (const auto& [name, value] : spec.options) object[name] = json_of_option(value);
    list.push_back(std::move(object));
  }
  return list;
}

}  // namespace sheaf::internal
