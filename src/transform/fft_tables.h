/// \file
/// The tables of a Fourier transform as plain arrays, for kernels.

#pragma once

#include <cstdint>

namespace sheaf::internal {

/// Lifetime: that of the RealFft whose tables these are.
struct FftTables {
  std::int64_t size = 0;
  bool is_fast = false;             // size is a power of two
  const double* cosines = nullptr;  // of k / size turns; only half of them if is_fast
  const double* sines = nullptr;
  const std::int64_t* targets = nullptr;  // of each pair: its number with reversed bits
};

}  // namespace sheaf::internal
