/// \file
/// Translates the library's names of options into the names of the command.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sheaf/error.h"

namespace sheaf::cli {

/// Returns the text of an error with the command's name of the option, if the text begins with the
/// name of an option of the library. Returns nothing for any other text.
[[nodiscard]] std::optional<std::string> in_option_words(std::string_view text);

/// Returns an option of the library in the command's syntax: "--window-chunks 16".
[[nodiscard]] std::string option_text(std::string_view name, std::string_view value);

/// Calls `operation`. Translates the names of options in its errors.
///
/// Throws: as `operation`.
template <typename Operation>
auto with_option_words(const Operation& operation) {
  try {
    return operation();
  } catch (const ConfigError& error) {
    if (const auto text = in_option_words(error.what())) throw ConfigError(*text);
    throw;
  } catch (const IoError& error) {
    if (const auto text = in_option_words(error.what())) throw IoError(*text);
    throw;
  }
}

}  // namespace sheaf::cli
