/// \file
/// Triangles of equal width on the mel scale.

#pragma once

#include <cstdint>
#include <vector>

#include "transform/mel_triangle.h"

namespace sheaf::internal {

/// Which frequencies a bank covers, and of which bins.
struct MelBankOptions {
  double sample_rate = 16'000;
  std::int64_t fft_size = 512;
  std::int64_t bin_count = 23;  // triangles
  double low_freq = 20;         // hertz
  double high_freq = 0;         // hertz; 0 or less: below half the rate
};

/// Triangles whose corners are equally far apart on the mel scale: as Kaldi's mel-computations.
class MelBank {
 public:
  /// Pre:    sample_rate > 0; fft_size >= 2; bin_count > 0.
  /// Throws: ConfigError where the frequencies are not 0 <= low < high <= half the rate, or a
  ///         triangle is so narrow that it has no bin of the spectrum.
  explicit MelBank(const MelBankOptions& options);

  /// Returns the triangles, the lowest frequency first.
  [[nodiscard]] const std::vector<MelTriangle>& triangles() const noexcept { return triangles_; }

  /// Returns the weights of all triangles, one triangle after another.
  [[nodiscard]] const std::vector<double>& weights() const noexcept { return weights_; }

 private:
  std::vector<MelTriangle> triangles_;
  std::vector<double> weights_;
};

/// Returns the mels of a frequency in hertz: 1127 ln(1 + frequency / 700).
///
/// Pre: frequency >= 0.
[[nodiscard]] double mel_of(double frequency) noexcept;

}  // namespace sheaf::internal
