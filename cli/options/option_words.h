/// \file
/// What the library calls options, as the command calls them.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sheaf/error.h"

namespace sheaf::cli {

/// Returns the text of an error that begins with the name of an option of the library, with the
/// name that the command's option has; nothing for another text.
[[nodiscard]] std::optional<std::string> in_option_words(std::string_view text);

/// Returns an option of the library as the command writes the option: "--window-chunks 16".
[[nodiscard]] std::string option_text(std::string_view name, std::string_view value);

/// Calls `operation`, whose errors name options of the library.
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
