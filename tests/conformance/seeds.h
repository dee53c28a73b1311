/// \file
/// How many random files a law is tried on.

#pragma once

#include <cstdint>

namespace sheaf::conformance {

/// `count`, or a quarter of it under a sanitizer, which makes each file take five times as long.
constexpr std::uint64_t seeds(std::uint64_t count) {
#if defined(SHEAF_SANITIZED)
  return (count + 3) / 4;
#else
  return count;
#endif
}

}  // namespace sheaf::conformance
