/// \file
/// The tables of a Fourier transform as plain arrays, for kernels.

#pragma once

#include <cstdint>

namespace sheaf::internal {

/// Lifetime: that of the RealFft whose tables these are.
struct FftTables {
  std::int64_t size = 0;
  bool is_fast = false;             // size is a power of two
  const double* cosines = nullptr;  // of k / size turns: half of them where the transform is fast
  const double* sines = nullptr;
  const std::int64_t* places = nullptr;  // where a pair goes: its number with its bits reversed
};

}  // namespace sheaf::internal
