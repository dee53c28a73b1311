/// \file
/// The number of random files for each law.

#pragma once

#include <cstdint>

namespace sheaf::conformance {

/// Returns `count`, or a quarter of it under a sanitizer, where a file takes five times as long.
constexpr std::uint64_t seeds(std::uint64_t count) {
#if defined(SHEAF_SANITIZED)
  return (count + 3) / 4;
#else
  return count;
#endif
}

}  // namespace sheaf::conformance
