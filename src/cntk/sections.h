// Sections and arrays taken apart, a level at a time.

#pragma once

#include <memory>
#include <vector>

#include "cntk/config_tree.h"

namespace sheaf::internal {

/// Read `text` as settings of `section`; later ones override or are merged with earlier.
///
/// Throws: ConfigTextError.
/// Source: docs/config.md, "Settings".
void read_settings(ConfigState& state, ConfigSectionNode& section, const TextSlice& text);

/// The settings of code, as those of `section`.
///
/// Throws: ConfigError where two keys are the same in upper and lower case.
void add_data(ConfigSectionNode& section, const ConfigData::Members& settings);

/// Put a value of code into a section. Returns what it replaces.
std::unique_ptr<ConfigValueNode> put_data(ConfigSectionNode& section, std::string_view key,
                                          const ConfigData& data);

/// Whether a value is a section; an array in parentheses.
[[nodiscard]] bool is_section(ConfigState& state, ConfigValueNode& value);
[[nodiscard]] bool is_array(ConfigState& state, ConfigValueNode& value);

/// The section that a value is.
///
/// Throws: ConfigTextError where it is none.
ConfigSectionNode& open_section(ConfigState& state, ConfigValueNode& value);

/// The elements that a value has.
///
/// Throws: ConfigTextError.
/// Source: docs/config.md, "Arrays".
std::vector<std::unique_ptr<ConfigValueNode>>& open_elements(ConfigState& state,
                                                             ConfigValueNode& value);

/// Something in it was asked for: what is odd about it is worth a warning.
void take_notes(ConfigState& state, ConfigSectionNode& section);

}  // namespace sheaf::internal
