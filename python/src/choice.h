/// \file
/// Words that stand for one of several things.

#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "sheaf/error.h"

namespace sheaf::python {

/// What `word` stands for among pairs of a word and a value.
///
/// Throws: ConfigError that names the option and lists the words.
template <typename T, std::size_t N>
T choice(std::string_view option, std::string_view word,
         const std::pair<std::string_view, T> (&choices)[N]) {
  std::string known;
  for (std::size_t i = 0; i < N; ++i) {
    if (choices[i].first == word) return choices[i].second;
    known += i == 0 ? "\"" : i + 1 < N ? "\", \"" : "\" or \"";
    known += choices[i].first;
  }
  throw ConfigError(std::string(option) + " is " + known + "\": got \"" + std::string(word) + '"');
}

}  // namespace sheaf::python
