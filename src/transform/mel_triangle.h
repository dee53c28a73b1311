/// \file
/// A triangle of a mel bank, for kernels.

#pragma once

#include <cstdint>

namespace sheaf::internal {

/// A triangle of a mel bank. It weighs `count` bins of a spectrum, from bin `first` on. The weights
/// of all triangles of a bank are adjacent.
struct MelTriangle {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

}  // namespace sheaf::internal
