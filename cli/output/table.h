/// \file
/// Aligned columns of text.

#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

namespace sheaf::cli {

inline constexpr const char* kNothing = "-";  // a cell without a value

/// Returns all digits of a number.
template <typename T>
[[nodiscard]] std::string number_text(T value) {
  return fmt::format("{}", value);
}

/// Appends table rows with aligned columns. Two blanks separate the columns, and `indent` blanks
/// stand in front. The first column is flush left, the others are flush right.
///
/// Pre: no table row has more cells than the first.
void append_table(std::string& out, const std::vector<std::vector<std::string>>& rows,
                  std::size_t indent);

}  // namespace sheaf::cli
