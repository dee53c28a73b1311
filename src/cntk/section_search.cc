// Finds sections by their path or by their purpose.

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/config.h"
#include "sheaf/extend/nearest.h"

#include "base/text.h"
#include "cntk/config_tree.h"
#include "cntk/sections.h"

namespace sheaf {

using internal::ConfigSectionNode;
using internal::ConfigState;
using internal::ConfigValueNode;

namespace {

/// A step of a path: a key, and the number of an element behind '@', or -1 if there is none.
struct Step {
  std::string_view key;
  std::int64_t element = -1;
};

Step step_of(std::string_view part) noexcept {
  const std::size_t at = part.rfind('@');
  if (at == std::string_view::npos) return {.key = part};
  std::int64_t element = 0;
  const std::string_view digits = part.substr(at + 1);
  const char* const last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, element);
  const bool is_number = error == std::errc() && end == last && element >= 0;
  return is_number ? Step{.key = part.substr(0, at), .element = element} : Step{.key = part};
}

/// Returns whether a value is a section for certain. A value with an undefined name is not.
bool is_known_section(ConfigState& state, ConfigValueNode& value) {
  try {
    return internal::is_section(state, value);
  } catch (const ConfigTextError&) {
    return false;
  }
}

std::vector<std::string> section_keys(ConfigState& state, const ConfigSectionNode& section) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : section.settings) {
    if (is_known_section(state, *value)) keys.push_back(value->key);
  }
  return keys;
}

ConfigSectionNode& step_into(ConfigState& state, ConfigSectionNode& section,
                             std::string_view part) {
  Step step = step_of(part);
  auto found = section.settings.find(step.key);
  if (found == section.settings.end() && step.element >= 0) {
    step = {.key = part};  // the key contains '@'
    found = section.settings.find(step.key);
  }
  if (found == section.settings.end()) {
    const std::string nearest = nearest_name(part, section_keys(state, section));
    state.fail(section.location, "missing",
               formatted("the section {} in {}", part, shown_path(section)), "none",
               nearest.empty() ? "" : formatted("did you mean {}?", nearest));
  }
  ConfigValueNode& value = *found->second;
  if (step.element < 0) return internal::open_section(state, value);
  auto& elements = internal::open_elements(state, value);
  if (step.element >= std::ssize(elements)) {
    fail_at(state, value, "missing", formatted("an element {}", step.element),
            formatted("{} elements", elements.size()));
  }
  return internal::open_section(state, *elements[static_cast<std::size_t>(step.element)]);
}

bool contains_ignoring_case(std::string_view text, std::string_view part) noexcept {
  for (std::size_t at = 0; at + part.size() <= text.size(); ++at) {
    if (internal::begins_ignoring_case(text.substr(at), part)) return true;
  }
  return false;
}

bool ends_ignoring_case(std::string_view text, std::string_view end) noexcept {
  return text.size() >= end.size() &&
         internal::is_same_ignoring_case(text.substr(text.size() - end.size()), end);
}

/// Returns whether a key contains a network, which is written in a language of its own.
bool is_network(std::string_view key) noexcept {
  return contains_ignoring_case(key, "NetworkBuilder") ||
         internal::is_same_ignoring_case(key, "SGD");
}

void find_readers(ConfigState& state, ConfigSectionNode& section,
                  std::vector<ConfigSectionNode*>& found) {
  const std::size_t found_before = found.size();
  for (const auto& [key, value] : section.settings) {
    if (is_network(key) || !is_known_section(state, *value)) continue;
    ConfigSectionNode& opened = internal::open_section(state, *value);
    const bool is_reader = ends_ignoring_case(key, "reader") ||
                           opened.settings.contains("readerType") ||
                           opened.settings.contains("deserializers");
    if (is_reader) {
      found.push_back(&opened);
    } else {
      find_readers(state, opened, found);
    }
  }
  // Reports the notes about this section only if there is a reader in it. Networks may be anywhere,
  // and their oddities are not worth a warning.
  if (found.size() > found_before) internal::take_notes(state, section);
}

}  // namespace

ConfigSection Config::section_at(std::string_view path) const {
  ConfigSectionNode* section = &state_->root;
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (end > begin) section = &step_into(*state_, *section, path.substr(begin, end - begin));
    begin = end + 1;
  }
  return {state_, section};
}

std::vector<ConfigSection> Config::reader_sections() const {
  std::vector<ConfigSectionNode*> found;
  find_readers(*state_, state_->root, found);
  std::vector<ConfigSection> sections;
  sections.reserve(found.size());
  for (ConfigSectionNode* const section : found) sections.push_back({state_, section});
  return sections;
}

}  // namespace sheaf
