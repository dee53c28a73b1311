/// \file
/// Suggests the closest known name for a misspelled one.

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sheaf {

/// Returns the known name that is nearest to `written`, without regard to case. Returns an empty
/// text where no name is near.
///
/// Determinism: of several names that are equally near, the first.
[[nodiscard]] std::string nearest_name(std::string_view written,
                                       std::span<const std::string> known);

}  // namespace sheaf
