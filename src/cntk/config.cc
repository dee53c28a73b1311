#include "sheaf/extend/config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <utility>

#include "sheaf/extend/nearest.h"

#include "base/text.h"
#include "cntk/config_tree.h"
#include "cntk/conversions.h"
#include "cntk/loader.h"
#include "cntk/name_resolver.h"
#include "cntk/sections.h"

namespace sheaf {

using internal::ConfigSectionNode;
using internal::ConfigState;
using internal::ConfigValueNode;

namespace {

/// Returns a value for messages: data of code by their kind, text in quotes.
std::string found_text(ConfigState& state, ConfigValueNode& value) {
  const std::string_view text = internal::resolved_text(state, value).view();
  const bool is_text = !value.data || std::holds_alternative<std::string>(value.data->value);
  return is_text ? quoted(text) : std::string(text.substr(0, 40));
}

ConfigValueNode* setting_of(const ConfigSectionNode& section, std::string_view key) {
  const auto found = section.settings.find(key);
  return found == section.settings.end() ? nullptr : found->second.get();
}

bool is_default(ConfigState& state, ConfigValueNode& value) {
  const std::string_view text = internal::opened_text(state, value).view();
  return text == "default";
}

std::vector<std::string> keys_of(const ConfigSectionNode& section) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : section.settings) keys.push_back(value->key);
  return keys;
}

}  // namespace

// --- ConfigValue ---------------------------------------------------------------------------------

const std::string& ConfigValue::key() const noexcept { return node_->key; }

std::string ConfigValue::path() const { return internal::path_of(*node_); }

ConfigLocation ConfigValue::location() const {
  return internal::location_of(*state_, node_->location);
}

std::string ConfigValue::raw() const {
  return node_->data ? internal::text_of(*node_->data) : std::string(node_->text.view());
}

bool ConfigValue::is_quoted() const noexcept { return node_->is_quoted; }

bool ConfigValue::is_section() const { return internal::is_section(*state_, *node_); }

bool ConfigValue::is_array() const { return internal::is_array(*state_, *node_); }

void ConfigValue::convert(std::string& result) const {
  node_->is_asked = true;
  result = internal::resolved_text(*state_, *node_).view();
}

void ConfigValue::convert(bool& result) const {
  std::string text;
  convert(text);
  const std::optional<bool> truth = internal::bool_of(text);
  if (!truth) {
    internal::fail_at(*state_, *node_, "bool", "true or false", found_text(*state_, *node_));
  }
  result = *truth;
}

void ConfigValue::convert(std::int64_t& result) const {
  std::string text;
  convert(text);
  const std::optional<std::int64_t> number = internal::integer_of(text);
  if (!number) {
    internal::fail_at(*state_, *node_, "integer", "a whole number", found_text(*state_, *node_));
  }
  result = *number;
}

void ConfigValue::convert(double& result) const {
  if (node_->data) {
    if (const auto* const number = std::get_if<double>(&node_->data->value)) {
      node_->is_asked = true;
      result = *number;
      return;
    }
  }
  std::string text;
  convert(text);
  const std::optional<double> number = internal::number_of(text);
  if (!number) {
    internal::fail_at(*state_, *node_, "number", "a number", found_text(*state_, *node_));
  }
  result = *number;
}

void ConfigValue::convert(float& result) const {
  double number = 0;
  convert(number);
  result = static_cast<float>(number);
  if (std::isinf(result) && !std::isinf(number)) {
    internal::fail_at(*state_, *node_, "number", "a number of 32 bits",
                      found_text(*state_, *node_));
  }
}

std::int64_t ConfigValue::as_count(std::int64_t min, std::int64_t max) const {
  std::string text;
  convert(text);
  const std::optional<std::int64_t> number = internal::integer_of(text);
  if (number && *number >= min && *number <= max) return *number;
  const bool is_bounded = max < std::numeric_limits<std::int64_t>::max();
  const std::string range =
      is_bounded ? formatted("from {} to {}", min, max) : formatted("of at least {}", min);
  internal::fail_at(*state_, *node_, "integer", "a whole number " + range,
                    found_text(*state_, *node_));
}

std::string ConfigValue::as_path() const { return path_at(as<std::string>()); }

std::string ConfigValue::path_at(std::string_view path) const {
  return (std::filesystem::path(state_->directory) / path).string();
}

std::vector<std::string> ConfigValue::listed_lines() const {
  FileSystem* const files = state_->options.files;
  const std::shared_ptr<const ByteSource> source =
      (files != nullptr ? *files : system_files()).open(as_path());
  if (source->size() > static_cast<std::int64_t>(internal::kConfigSizeMax)) {
    refuse(formatted("a file of at most {} bytes", internal::kConfigSizeMax));
  }
  std::string text(static_cast<std::size_t>(source->size()), '\0');
  source->read_at(0, std::as_writable_bytes(std::span(text)));
  constexpr std::string_view kBlanks = " \t\r";
  std::vector<std::string> lines;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    line = line.substr(0, line.find_last_not_of(kBlanks) + 1);
    if (!line.empty()) lines.emplace_back(line);
  }
  return lines;
}

std::vector<std::string> ConfigValue::listed_paths() const {
  std::vector<std::string> paths = listed_lines();
  for (std::string& path : paths) path = path_at(path);
  return paths;
}

ConfigSection ConfigValue::section() const {
  node_->is_asked = true;
  return {state_, &internal::open_section(*state_, *node_)};
}

std::vector<ConfigValue> ConfigValue::elements() const {
  node_->is_asked = true;
  std::vector<ConfigValue> values;
  for (const auto& element : internal::open_elements(*state_, *node_)) {
    values.push_back({state_, element.get()});
  }
  internal::take_notes(*state_, *node_->section);
  return values;
}

std::vector<ConfigSection> ConfigValue::sections() const {
  if (is_section()) {
    internal::fail_at(*state_, *node_, "array", "an array of sections", "a section",
                      "one section is an array of one in parentheses: ( { ... } )");
  }
  std::vector<ConfigSection> sections;
  for (const ConfigValue& element : elements()) sections.push_back(element.section());
  return sections;
}

Diagnostic ConfigValue::diagnostic(std::string_view code, std::string_view expected,
                                   std::string_view hint) const {
  return internal::diagnostic_of(*state_, *node_, code, expected, found_text(*state_, *node_),
                                 hint);
}

void ConfigValue::refuse(std::string_view expected, std::string_view hint) const {
  throw ConfigTextError(diagnostic("value", expected, hint));
}

void ConfigValue::warn(std::string_view code, std::string_view expected,
                       std::string_view hint) const {
  state_->warn(diagnostic(code, expected, hint));
}

// --- ConfigSection -------------------------------------------------------------------------------

std::string ConfigSection::name() const { return node_->value == nullptr ? "" : node_->value->key; }

std::string ConfigSection::path() const {
  return node_->value == nullptr ? "/" : internal::path_of(*node_);
}

ConfigLocation ConfigSection::location() const {
  return internal::location_of(*state_, node_->location);
}

std::vector<ConfigValue> ConfigSection::settings() const {
  internal::take_notes(*state_, *node_);
  std::vector<ConfigValue> values;
  for (const auto& [key, value] : node_->settings) values.push_back({state_, value.get()});
  return values;
}

std::optional<ConfigValue> ConfigSection::find_here(std::string_view key) const {
  node_->asked.emplace(key);
  internal::take_notes(*state_, *node_);
  ConfigValueNode* const value = setting_of(*node_, key);
  if (value == nullptr) return std::nullopt;
  value->is_asked = true;
  if (is_default(*state_, *value)) return std::nullopt;
  return ConfigValue(state_, value);
}

std::optional<ConfigValue> ConfigSection::find(std::string_view key) const {
  node_->asked.emplace(key);
  for (ConfigSectionNode* section = node_; section != nullptr; section = section->parent) {
    if (setting_of(*section, key) != nullptr) {
      return ConfigSection(state_, section).find_here(key);
    }
    internal::take_notes(*state_, *section);
  }
  return std::nullopt;
}

ConfigValue ConfigSection::at(std::string_view key) const {
  const std::optional<ConfigValue> value = find(key);
  const std::string expected = formatted("the setting {}", key);
  if (!value) {
    const std::string nearest = nearest_name(key, keys_of(*node_));
    const std::string hint =
        nearest.empty() ? "" : formatted("there is {}; did you mean that?", nearest);
    throw ConfigTextError(diagnostic("missing", expected, "none", hint));
  }
  if (!value->node_->data && internal::opened_text(*state_, *value->node_).empty()) {
    internal::fail_at(*state_, *value->node_, "missing", expected, "an empty one");
  }
  return *value;
}

void ConfigSection::set(std::string_view key, const ConfigData& data) {
  if (auto old = internal::put_data(*node_, key, data)) state_->replaced.push_back(std::move(old));
}

std::vector<ConfigValue> ConfigSection::unused() const {
  std::vector<ConfigValue> values;
  const auto add_section = [&](ConfigSectionNode& opened) {
    for (ConfigValue& value : ConfigSection(state_, &opened).unused()) {
      values.push_back(std::move(value));
    }
  };
  for (const auto& [key, value] : node_->settings) {
    if (!value->is_asked) values.push_back({state_, value.get()});
    if (value->opened) add_section(*value->opened);
    if (!value->elements) continue;
    for (const auto& element : *value->elements) {
      if (element->opened) add_section(*element->opened);
    }
  }
  return values;
}

void ConfigSection::warn_unused(std::span<const std::string_view> known) const {
  for (const ConfigValue& value : unused()) {
    const ConfigSectionNode& section = *value.node_->section;
    std::vector<std::string> names(section.asked.begin(), section.asked.end());
    names.insert(names.end(), known.begin(), known.end());
    const std::string& key = value.key();
    const auto is_key = [&key](std::string_view name) {
      return internal::is_same_ignoring_case(name, key);
    };
    if (std::ranges::any_of(known, is_key)) continue;
    const std::string nearest = nearest_name(key, names);
    state_->warn(state_->diagnostic(
        value.node_->key_location, "unknown",
        formatted("a setting that {} knows", internal::shown_path(section)),
        quoted(std::string_view(key)),
        nearest.empty() ? "nothing reads it" : formatted("did you mean {}?", nearest)));
  }
}

Diagnostic ConfigSection::diagnostic(std::string_view code, std::string_view expected,
                                     std::string_view found, std::string_view hint) const {
  return state_->diagnostic(node_->location, code,
                            formatted("{} in {}", expected, internal::shown_path(*node_)), found,
                            hint);
}

// --- Config --------------------------------------------------------------------------------------

Config Config::from_words(std::span<const std::string> words, const ConfigOptions& options) {
  auto state = std::make_shared<ConfigState>();
  state->options = options;
  internal::load_words(*state, words);
  return Config(std::move(state));
}

Config Config::from_file(std::string_view paths, std::span<const std::string> words,
                         const ConfigOptions& options) {
  std::vector<std::string> all = {"configFile=" + std::string(paths)};
  all.insert(all.end(), words.begin(), words.end());
  return from_words(all, options);
}

Config Config::from_text(std::string_view text, std::string_view path,
                         const ConfigOptions& options) {
  auto state = std::make_shared<ConfigState>();
  state->options = options;
  internal::load_text(*state, text, path);
  return Config(std::move(state));
}

Config Config::from_data(const ConfigData::Members& settings, std::string directory) {
  auto state = std::make_shared<ConfigState>();
  state->directory = std::move(directory);
  internal::add_data(state->root, settings);
  return Config(std::move(state));
}

ConfigSection Config::root() const { return {state_, &state_->root}; }

const std::string& Config::directory() const noexcept { return state_->directory; }

std::span<const Diagnostic> Config::warnings() const noexcept { return state_->warnings; }

std::int64_t Config::warnings_left_out() const noexcept { return state_->warnings_left_out; }

}  // namespace sheaf
