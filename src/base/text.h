// Text with values in it.
//
// {fmt} is a header-only dependency here, and compiling it takes longer than compiling most of our
// own files; so one file does, and the others see declarations only.

#pragma once

#include <string>

#include <fmt/core.h>

namespace sheaf {

/// fmt::vformat.
[[nodiscard]] std::string format_arguments(fmt::string_view pattern, fmt::format_args arguments);

/// fmt::format: "{} of {:08x}" with values for the braces, checked when compiled.
template <typename... Values>
[[nodiscard]] std::string formatted(fmt::format_string<Values...> pattern, Values&&... values) {
  return format_arguments(pattern, fmt::make_format_args(values...));
}

}  // namespace sheaf
