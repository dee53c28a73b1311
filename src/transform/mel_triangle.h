/// \file
/// A triangle of a mel bank, for kernels.

#pragma once

#include <cstdint>

namespace sheaf::internal {

/// Weighs `count` bins of a spectrum, from bin `first`. The weights of all triangles of a bank lie
/// one after another.
struct MelTriangle {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

}  // namespace sheaf::internal
