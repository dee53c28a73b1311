// Settings whose value is one of some words.

#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sheaf/extend/config.h"

#include "base/text.h"

namespace sheaf::internal {

/// Returns the meaning of a setting's word, which must be one of `words`. Returns `otherwise` if
/// the setting is left out.
///
/// Throws: ConfigTextError that lists the words.
template <typename T>
[[nodiscard]] T choice(const ConfigSection& section, std::string_view key,
                       std::initializer_list<std::pair<std::string_view, T>> words, T otherwise) {
  const std::optional<ConfigValue> value = section.find(key);
  if (!value) return otherwise;
  const auto text = value->as<std::string>();
  std::string all;
  for (const auto& [word, meaning] : words) {
    if (text == word) return meaning;
    all += formatted("{}{}", all.empty() ? "" : " or ", word);
  }
  value->refuse(all);
}

}  // namespace sheaf::internal
