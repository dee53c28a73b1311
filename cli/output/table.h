/// \file
/// Aligned columns of text.

#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

namespace sheaf::cli {

inline constexpr const char* kNothing = "-";  // in a cell that has no value

/// Returns all digits of a number.
template <typename T>
[[nodiscard]] std::string number_text(T value) {
  return fmt::format("{}", value);
}

/// Append rows with their cells in columns, two blanks apart and `indent` from the left: the first
/// column flush left, the others flush right.
///
/// Pre: no row has more cells than the first.
void append_table(std::string& out, const std::vector<std::vector<std::string>>& rows,
                  std::size_t indent);

}  // namespace sheaf::cli
