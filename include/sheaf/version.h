/// \file
/// The version of the library.
///
///     std::cout << "sheaf " << sheaf::kVersion << '\n';

#pragma once

#include <string_view>

namespace sheaf {

/// The version of the headers: "major.minor.patch".
inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace sheaf
