// Formats text.
//
// {fmt} is a header-only dependency here, and takes longer to compile than most of our own files.
// So only one file compiles it, and the others see declarations only.

#pragma once

#include <string>

#include <fmt/core.h>

namespace sheaf {

/// Calls fmt::vformat.
[[nodiscard]] std::string format_arguments(fmt::string_view pattern, fmt::format_args arguments);

/// Formats as fmt::format: "{} of {:08x}" with values for the braces, checked at compile time.
template <typename... Values>
[[nodiscard]] std::string formatted(fmt::format_string<Values...> pattern, Values&&... values) {
  return format_arguments(pattern, fmt::make_format_args(values...));
}

}  // namespace sheaf
