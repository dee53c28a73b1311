/// \file
/// Mel banks: triangles of equal width on the mel scale.

#pragma once

#include <cstdint>
#include <vector>

#include "transform/mel_triangle.h"

namespace sheaf::internal {

/// The frequencies and the spectrum of a bank.
struct MelBankOptions {
  double sample_rate = 16'000;
  std::int64_t fft_size = 512;
  std::int64_t bin_count = 23;  // number of triangles
  double low_freq = 20;         // hertz
  double high_freq = 0;         // hertz; 0 or less: below half the rate
};

/// A bank of triangles whose corners are equally spaced on the mel scale, as in Kaldi's
/// mel-computations.
class MelBank {
 public:
  /// Pre:    sample_rate > 0; fft_size >= 2; bin_count > 0.
  /// Throws: ConfigError unless 0 <= low < high <= half the rate, and if a triangle is too narrow
  ///         to have a bin of the spectrum.
  explicit MelBank(const MelBankOptions& options);

  /// Returns the triangles, by rising frequency.
  [[nodiscard]] const std::vector<MelTriangle>& triangles() const noexcept { return triangles_; }

  /// Returns the weights of all triangles, one triangle after another.
  [[nodiscard]] const std::vector<double>& weights() const noexcept { return weights_; }

 private:
  std::vector<MelTriangle> triangles_;
  std::vector<double> weights_;
};

/// Returns a frequency in mel: 1127 ln(1 + frequency / 700). `frequency` is in hertz.
///
/// Pre: frequency >= 0.
[[nodiscard]] double mel_of(double frequency) noexcept;

}  // namespace sheaf::internal
