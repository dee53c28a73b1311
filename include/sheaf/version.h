/// \file
/// The version of the library.

#pragma once

#include <string_view>

namespace sheaf {

/// Version of the headers: "major.minor.patch".
inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace sheaf
