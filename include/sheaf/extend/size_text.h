/// \file
/// Sizes as people read them.

#pragma once

#include <string>

namespace sheaf {

/// Returns a number of bytes to look at: "512 B", "1.5 MiB", "2.0 GiB".
[[nodiscard]] std::string size_text(double bytes);

}  // namespace sheaf
