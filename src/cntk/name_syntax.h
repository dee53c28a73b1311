// The syntax of a name to replace: $name$.

#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace sheaf::internal {

/// Returns the name between the '$' at `at` and the next '$', or nothing if there is none. A name
/// begins with a letter or '_', and has no blanks, brackets or punctuation except '-' and '.'.
[[nodiscard]] inline std::optional<std::string_view> name_at(std::string_view text,
                                                             std::size_t at) noexcept {
  if (at >= text.size() || text[at] != '$') return std::nullopt;
  const std::string_view rest = text.substr(at + 1);
  const std::size_t end = rest.find_first_of("$,/<>?;':\"[]{}\\|!@#%^&*()+=~` \t\r\n");
  if (end == std::string_view::npos || end == 0 || rest[end] != '$') return std::nullopt;
  const char first = rest.front();
  const bool is_letter = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
  if (!is_letter && first != '_') return std::nullopt;
  return rest.substr(0, end);
}

}  // namespace sheaf::internal
