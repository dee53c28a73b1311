/// \file
/// What the library calls options, as the command calls them.

#pragma once

#include "sheaf/error.h"

namespace sheaf::cli {

/// Returns an error of an operation whose text begins with the name that the command's option has.
/// Another error is returned as it is.
[[nodiscard]] ConfigError in_option_words(const ConfigError& error);

/// Calls `operation`, whose errors name options of the library.
template <typename Operation>
auto with_option_words(const Operation& operation) {
  try {
    return operation();
  } catch (const ConfigError& error) {
    throw in_option_words(error);
  }
}

}  // namespace sheaf::cli
