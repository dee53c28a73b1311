/// \file
/// Formats sizes for people.

#pragma once

#include <string>

namespace sheaf {

/// Returns a number of bytes as a short text: "512 B", "1.5 MiB", "2.0 GiB".
[[nodiscard]] std::string size_text(double bytes);

}  // namespace sheaf
