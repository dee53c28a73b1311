/// \file
/// Numbers of things, in words.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sheaf::cli {

/// "1 sequence", "2 sequences".
[[nodiscard]] inline std::string counted(std::int64_t count, std::string_view noun) {
  return std::to_string(count) + ' ' + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace sheaf::cli
