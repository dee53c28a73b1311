// Turns the words of a command line into one text.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "cntk/config_tree.h"

namespace sheaf::internal {

/// The limit of the size of all files of a configuration together, in bytes.
inline constexpr std::size_t kConfigSizeMax = std::size_t{16} << 20U;

/// Reads words, and the files that they name, into the text of the root. A file includes other
/// files by lines "include=A+B".
///
/// Throws: ConfigTextError; IoError if a file cannot be read.
/// Source: docs/config.md, "From words to text".
void load_words(ConfigState& state, std::span<const std::string> words);

/// Reads a text as if it were the content of a file.
void load_text(ConfigState& state, std::string_view text, std::string_view path);

}  // namespace sheaf::internal
