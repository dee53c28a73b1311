// Helpers shared by the files that build containers.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "reference/sheaf_bytes.h"

namespace sheaf::testing {

inline void put_word(std::string& to, std::uint64_t word) {
  for (int i = 0; i < 8; ++i) to.push_back(static_cast<char>(word >> (8 * i)));
}

inline void pad(std::string& to) {
  constexpr auto kAlignment = static_cast<std::size_t>(conformance::container::kAlignment);
  while (to.size() % kAlignment != 0) to.push_back('\0');
}

/// Returns a number read from an array, limited to the number of existing things.
inline std::int64_t clipped(std::int64_t count, std::int64_t most) {
  return std::clamp<std::int64_t>(count, 0, std::max<std::int64_t>(most, 0));
}

}  // namespace sheaf::testing
