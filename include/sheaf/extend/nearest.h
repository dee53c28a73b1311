/// \file
/// Suggests the closest known name for a misspelled one.

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sheaf {

/// Returns the known name that is nearest to `written`, ignoring case. Returns an empty text if no
/// name is near. Names without a common letter, such as `x` and `y`, are not near.
///
/// Determinism: returns the first of several equally near names.
[[nodiscard]] std::string nearest_name(std::string_view written,
                                       std::span<const std::string> known);

}  // namespace sheaf
