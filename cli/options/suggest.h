/// \file
/// Suggests the closest known name for a misspelled one.

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sheaf::cli {

/// Returns "; did you mean NAME?", or an empty text if no known name is close.
[[nodiscard]] std::string suggestion(std::string_view typed, std::span<const std::string> known);

}  // namespace sheaf::cli
