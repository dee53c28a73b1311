/// \file
/// What somebody may have meant.

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sheaf {

/// The known name that is nearest to what was written, upper and lower case being the same; empty
/// where none is near.
///
/// Determinism: of several that are as near, the first.
[[nodiscard]] std::string nearest_name(std::string_view written,
                                       std::span<const std::string> known);

}  // namespace sheaf
