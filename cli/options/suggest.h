/// \file
/// What somebody may have meant.

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sheaf::cli {

/// "; did you mean NAME?", or nothing.
[[nodiscard]] std::string suggestion(std::string_view typed, std::span<const std::string> known);

}  // namespace sheaf::cli
