/// \file
/// Aligned columns of text.

#pragma once

#include <string>
#include <vector>

namespace sheaf::cli {

/// Append rows with their cells in columns, two blanks apart and `indent` from the left: the first
/// column flush left, the others flush right.
///
/// Pre: no row has more cells than the first.
void append_table(std::string& out, const std::vector<std::vector<std::string>>& rows,
                  std::size_t indent);

}  // namespace sheaf::cli
