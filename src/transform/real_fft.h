/// \file
/// Fourier transforms of real numbers.

#pragma once

#include <cstdint>
#include <vector>

#include "transform/fft_tables.h"

namespace sheaf::internal {

/// The largest size of a transform, and the largest size that is not a power of two.
inline constexpr std::int64_t kFftSizeMax = 65'536;
inline constexpr std::int64_t kDirectFftSizeMax = 4096;

/// A Fourier transform of `size` numbers. If the size is a power of two, uses the fast algorithm.
/// Otherwise sums up each bin directly.
class RealFft {
 public:
  /// Pre: 2 <= size <= kFftSizeMax; size <= kDirectFftSizeMax unless it is a power of two.
  explicit RealFft(std::int64_t size);

  /// Returns the tables for FftLanes.
  ///
  /// Lifetime: that of the object. Moving it keeps the tables valid.
  [[nodiscard]] FftTables tables() const noexcept;

  /// Writes the squared magnitudes of the bins below half the rate. Overwrites `values`.
  ///
  /// Shape: values [size]; result [size / 2].
  void power(double* values, double* result) const noexcept;

 private:
  std::int64_t size_;
  bool is_fast_;
  std::vector<double> cosines_;
  std::vector<double> sines_;
  std::vector<std::int64_t> targets_;
};

}  // namespace sheaf::internal
