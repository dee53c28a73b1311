// From the words of a command line to one text.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "cntk/config_tree.h"

namespace sheaf::internal {

/// All files of a configuration together have at most so many bytes.
inline constexpr std::size_t kConfigSizeMax = std::size_t{16} << 20U;

/// Read words, and the files that they name, as one text; it is the root's. A file includes others
/// by lines "include=A+B".
///
/// Throws: ConfigTextError; IoError where a file cannot be read.
/// Source: docs/config.md, "From words to text".
void load_words(ConfigState& state, std::span<const std::string> words);

/// Read text as that of a file.
void load_text(ConfigState& state, std::string_view text, std::string_view path);

}  // namespace sheaf::internal
