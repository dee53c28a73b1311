/// \file
/// Fourier transforms of real numbers.

#pragma once

#include <cstdint>
#include <vector>

#include "transform/fft_tables.h"

namespace sheaf::internal {

/// The most numbers of a transform, and the most where their count is no power of two.
inline constexpr std::int64_t kFftSizeMax = 65'536;
inline constexpr std::int64_t kDirectFftSizeMax = 4096;

/// A transform of `size` numbers. A size that is a power of two takes a fast transform. Any other
/// size sums each bin directly.
class RealFft {
 public:
  /// Pre: 2 <= size <= kFftSizeMax; size <= kDirectFftSizeMax where it is no power of two.
  explicit RealFft(std::int64_t size);

  /// Returns the tables for FftLanes.
  ///
  /// Lifetime: that of this. Moving keeps the tables valid.
  [[nodiscard]] FftTables tables() const noexcept;

  /// Writes the squared magnitudes of the bins below half the rate. The values are lost.
  ///
  /// Shape: values [size]; result [size / 2].
  void power(double* values, double* result) const noexcept;

 private:
  std::int64_t size_;
  bool is_fast_;
  std::vector<double> cosines_;
  std::vector<double> sines_;
  std::vector<std::int64_t> places_;
};

}  // namespace sheaf::internal
