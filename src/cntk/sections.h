// Parses sections and arrays, one level at a time.

#pragma once

#include <memory>
#include <vector>

#include "cntk/config_tree.h"

namespace sheaf::internal {

/// Reads `text` as settings of `section`. Later settings override earlier ones, or are merged with
/// them.
///
/// Throws: ConfigTextError.
/// Source: docs/config.md, "Settings".
void read_settings(ConfigState& state, ConfigSectionNode& section, const TextSlice& text);

/// Adds settings from code to `section`.
///
/// Throws: ConfigError if two keys differ only in case.
void add_data(ConfigSectionNode& section, const ConfigData::Members& settings);

/// Adds a value from code to a section. Returns the value that it replaces, if any.
std::unique_ptr<ConfigValueNode> put_data(ConfigSectionNode& section, std::string_view key,
                                          const ConfigData& data);

/// Return whether a value is a section, and whether it is an array in parentheses.
[[nodiscard]] bool is_section(ConfigState& state, ConfigValueNode& value);
[[nodiscard]] bool is_array(ConfigState& state, ConfigValueNode& value);

/// Returns the section of a value.
///
/// Throws: ConfigTextError if the value is no section.
ConfigSectionNode& open_section(ConfigState& state, ConfigValueNode& value);

/// Returns the elements of a value.
///
/// Throws: ConfigTextError.
/// Source: docs/config.md, "Arrays".
std::vector<std::unique_ptr<ConfigValueNode>>& open_elements(ConfigState& state,
                                                             ConfigValueNode& value);

/// Reports the notes about a section, since something in it is used.
void take_notes(ConfigState& state, ConfigSectionNode& section);

}  // namespace sheaf::internal
