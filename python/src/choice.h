/// \file
/// Options that take one of several words.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "sheaf/error.h"

namespace sheaf::python {

/// Returns the value that `choices` has for `word`.
///
/// Throws: ConfigError that names the option and lists the words.
template <typename T>
T choice(std::string_view option, std::string_view word,
         std::span<const std::pair<std::string_view, T>> choices) {
  std::string known;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i].first == word) return choices[i].second;
    known += i == 0 ? "\"" : i + 1 < choices.size() ? "\", \"" : "\" or \"";
    known += choices[i].first;
  }
  throw ConfigError(std::string(option) + " is " + known + "\": got \"" + std::string(word) + '"');
}
template <typename T, std::size_t N>
T choice(std::string_view option, std::string_view word,
         const std::pair<std::string_view, T> (&choices)[N]) {
  return choice<T>(option, word, std::span<const std::pair<std::string_view, T>>(choices));
}

}  // namespace sheaf::python
