#include "sheaf/position.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "sheaf/error.h"

#include "base/text.h"
#include "base/utf8.h"
#include "core/json_text.h"

// A position is one flat JSON object. Version 1 has all fields below except "draws". Each new field
// needs a new version, so that a reader that knows only version 1 refuses the position instead of
// resuming at another place. A position without draws is written as version 1.
namespace sheaf {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kFormatVersion = 2;
constexpr std::int64_t kNumberMax = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view kFields[] = {"format_version", "algorithm", "data",     "options",
                                        "epoch",          "sweep",     "sequence", "sample",
                                        "carry",          "draws"};

using internal::bytes_of_json;
using internal::is_utf8;
using internal::json_of_bytes;
using internal::shown_json;

const Json& field(const Json& object, std::string_view name) {
  const auto it = object.find(name);
  if (it == object.end()) {
    throw ConfigError(formatted("position: field \"{}\" is missing", name));
  }
  return *it;
}

std::string text_field(const Json& object, std::string_view name) {
  const Json& value = field(object, name);
  std::optional<std::string> bytes = bytes_of_json(value);
  if (!bytes) {
    throw ConfigError(
        formatted("position: field \"{}\" must be a text: got {}", name, shown_json(value)));
  }
  return *std::move(bytes);
}

/// Returns whether a number is an int64. nlohmann stores a number above INT64_MAX as unsigned, and
/// a number above UINT64_MAX as a double.
bool fits_int64(const Json& value) {
  if (value.is_number_unsigned()) {
    return value.get<std::uint64_t>() <= static_cast<std::uint64_t>(kNumberMax);
  }
  return value.is_number_integer();
}

std::int64_t count_field(const Json& object, std::string_view name) {
  const Json& value = field(object, name);
  if (!fits_int64(value) || value.get<std::int64_t>() < 0) {
    throw ConfigError(
        formatted("position: field \"{}\" must be a whole number from 0 to {}: got {}", name,
                  kNumberMax, shown_json(value)));
  }
  return value.get<std::int64_t>();
}

std::map<std::string, std::string> options_field(const Json& object) {
  const Json& value = field(object, "options");
  if (!value.is_object()) {
    throw ConfigError(
        formatted("position: field \"options\" must be an object: got {}", shown_json(value)));
  }
  std::map<std::string, std::string> options;
  for (const auto& [name, option] : value.items()) {
    std::optional<std::string> bytes = bytes_of_json(option);
    if (!bytes) {
      throw ConfigError(formatted("position: field \"options\": \"{}\" must be a text: got {}",
                                  name, shown_json(option)));
    }
    options.emplace(name, *std::move(bytes));
  }
  return options;
}

std::vector<std::int64_t> numbers_field(const Json& object, const char* name) {
  std::vector<std::int64_t> numbers;
  if (!object.contains(name)) return numbers;
  const Json& value = object.at(name);
  if (!value.is_array()) {
    throw ConfigError(formatted("position: field \"{}\" must be a list of whole numbers: got {}",
                                name, shown_json(value)));
  }
  for (const Json& number : value) {
    if (!fits_int64(number)) {
      throw ConfigError(
          formatted("position: field \"{}\" must be a list of whole numbers of 64 bits: it has {}",
                    name, shown_json(number)));
    }
    numbers.push_back(number.get<std::int64_t>());
  }
  return numbers;
}

Json parsed(std::string_view json) {
  try {
    return Json::parse(json);
  } catch (const Json::parse_error& error) {
    throw ConfigError(formatted("position: not JSON, at byte {}", error.byte));
  } catch (const Json::out_of_range&) {
    throw ConfigError("position: a number in it does not fit any type");
  }
}

std::string or_quotes(const std::string& text) { return text.empty() ? "\"\"" : text; }

void compare(std::string_view name, const std::string* was, const std::string* is,
             std::vector<std::string>& differences) {
  if (was != nullptr && is != nullptr && *was == *is) return;
  differences.push_back(formatted("{} was {}, is {}", name,
                                  was != nullptr ? or_quotes(*was) : "not set",
                                  is != nullptr ? or_quotes(*is) : "not set"));
}

void check_from_reader(const Position& position) {
  if (position.run == nullptr) {
    throw ConfigError(
        "position: it says nothing of its run; only a reader's positions can be resumed");
  }
}

}  // namespace

std::string to_json(const Position& position) {
  check_from_reader(position);
  Json json;
  json["format_version"] = position.draws.empty() ? 1 : kFormatVersion;
  json["algorithm"] = json_of_bytes(position.run->algorithm);
  json["data"] = json_of_bytes(position.run->data);
  Json& options = json["options"] = Json::object();
  for (const auto& [name, value] : position.run->options) {
    if (!is_utf8(name)) throw ConfigError("position: an option's name is not UTF-8 text");
    options[name] = json_of_bytes(value);
  }
  json["epoch"] = position.place.epoch;
  json["sweep"] = position.place.sweep;
  json["sequence"] = position.place.sequence;
  json["sample"] = position.place.sample;
  if (!position.place.carry.empty()) json["carry"] = position.place.carry;
  if (!position.draws.empty()) json["draws"] = position.draws;
  return json.dump();
}

Position position_from_json(std::string_view json) {
  const Json object = parsed(json);
  if (!object.is_object()) {
    throw ConfigError(formatted("position: must be a JSON object: got {}", shown_json(object)));
  }
  const std::int64_t version = count_field(object, "format_version");
  if (version < 1 || version > kFormatVersion) {
    throw ConfigError(
        formatted("position: field \"format_version\" is {}; this version of sheaf reads 1 to {}",
                  version, kFormatVersion));
  }
  for (const auto& [name, value] : object.items()) {
    const bool is_known =
        std::find(std::begin(kFields), std::end(kFields), name) != std::end(kFields);
    if (!is_known || (version == 1 && name == "draws")) {
      throw ConfigError(
          formatted("position: field \"{}\" is not one of format_version {}", name, version));
    }
  }
  auto run = std::make_shared<RunIdentity>();
  run->algorithm = text_field(object, "algorithm");
  run->data = text_field(object, "data");
  run->options = options_field(object);
  Position position;
  position.run = std::move(run);
  position.place.epoch = count_field(object, "epoch");
  position.place.sweep = count_field(object, "sweep");
  position.place.sequence = count_field(object, "sequence");
  position.place.sample = count_field(object, "sample");
  position.place.carry = numbers_field(object, "carry");
  position.draws = numbers_field(object, "draws");
  return position;
}

void check_same_run(const Position& position, const RunIdentity& run) {
  check_from_reader(position);
  const RunIdentity& before = *position.run;
  std::vector<std::string> differences;
  compare("algorithm", &before.algorithm, &run.algorithm, differences);
  compare("data", &before.data, &run.data, differences);
  for (const auto& [name, was] : before.options) {
    const auto it = run.options.find(name);
    compare(name, &was, it == run.options.end() ? nullptr : &it->second, differences);
  }
  for (const auto& [name, is] : run.options) {
    if (!before.options.contains(name)) compare(name, nullptr, &is, differences);
  }
  if (differences.empty()) return;
  std::string text = "position: it belongs to another run: " + differences.front();
  for (std::size_t i = 1; i < differences.size(); ++i) text += "; " + differences[i];
  throw ConfigError(text);
}

}  // namespace sheaf
