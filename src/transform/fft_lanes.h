/// \file
/// The squared spectrum of real numbers, of one transform or of one in each lane of a vector. A
/// file selects its instruction set before it includes this header.

#pragma once

#include <cstdint>

#include "transform/fft_tables.h"

namespace sheaf::internal {

/// A Fourier transform of `Real`: double, or a vector of doubles with a separate transform in each
/// lane.
template <typename Real>
class FftLanes {
 public:
  /// Writes the squared magnitudes of the bins below half the rate. Overwrites `values`.
  ///
  /// Shape: values [tables.size]; result [tables.size / 2].
  static void power(const FftTables& tables, Real* values, Real* result) noexcept {
    if (tables.is_fast) {
      transform_pairs(tables, values);
      unfold(tables, values, result);
    } else {
      sum_bins(tables, values, result);
    }
  }

 private:
  static void exchange(Real& a, Real& b) noexcept {
    const Real before = a;
    a = b;
    b = before;
  }

  /// Transforms pairs of neighbouring values as complex numbers, in place.
  static void transform_pairs(const FftTables& tables, Real* values) noexcept {
    const std::int64_t pair_count = tables.size / 2;
    for (std::int64_t i = 0; i < pair_count; ++i) {
      const std::int64_t other = tables.targets[i];
      if (other <= i) continue;
      exchange(values[2 * i], values[2 * other]);
      exchange(values[2 * i + 1], values[2 * other + 1]);
    }
    for (std::int64_t half = 1; half < pair_count; half *= 2) {
      const std::int64_t step = pair_count / half;  // within the tables
      for (Real* first = values; first < values + 2 * pair_count; first += 4 * half) {
        combine(tables, first, half, step);
      }
    }
  }

  /// Combines two transforms of `half` pairs into one of twice as many.
  static void combine(const FftTables& tables, Real* a, std::int64_t half,
                      std::int64_t step) noexcept {
    Real* const b = a + 2 * half;
    for (std::int64_t j = 0; j < half; ++j) {
      const double cosine = tables.cosines[j * step];
      const double sine = tables.sines[j * step];
      const Real real = b[2 * j] * cosine + b[2 * j + 1] * sine;
      const Real imaginary = b[2 * j + 1] * cosine - b[2 * j] * sine;
      b[2 * j] = a[2 * j] - real;
      b[2 * j + 1] = a[2 * j + 1] - imaginary;
      a[2 * j] = a[2 * j] + real;
      a[2 * j + 1] = a[2 * j + 1] + imaginary;
    }
  }

  /// Computes the bins of the real numbers from the transform of their pairs.
  static void unfold(const FftTables& tables, const Real* pairs, Real* result) noexcept {
    const std::int64_t pair_count = tables.size / 2;
    for (std::int64_t k = 0; k < pair_count; ++k) {
      const std::int64_t other = k == 0 ? 0 : pair_count - k;
      const Real even_real = 0.5 * (pairs[2 * k] + pairs[2 * other]);
      const Real even_imaginary = 0.5 * (pairs[2 * k + 1] - pairs[2 * other + 1]);
      const Real odd_real = 0.5 * (pairs[2 * k + 1] + pairs[2 * other + 1]);
      const Real odd_imaginary = 0.5 * (pairs[2 * other] - pairs[2 * k]);
      const double cosine = tables.cosines[k];
      const double sine = tables.sines[k];
      const Real real = even_real + (odd_real * cosine + odd_imaginary * sine);
      const Real imaginary = even_imaginary + (odd_imaginary * cosine - odd_real * sine);
      result[k] = real * real + imaginary * imaginary;
    }
  }

  static void sum_bins(const FftTables& tables, const Real* values, Real* result) noexcept {
    for (std::int64_t k = 0; k < tables.size / 2; ++k) {
      Real real{};
      Real imaginary{};
      std::int64_t turn = 0;  // i * k modulo the size
      for (std::int64_t i = 0; i < tables.size; ++i) {
        real = real + values[i] * tables.cosines[turn];
        imaginary = imaginary + values[i] * tables.sines[turn];
        turn += k;
        if (turn >= tables.size) turn -= tables.size;
      }
      result[k] = real * real + imaginary * imaginary;
    }
  }
};

}  // namespace sheaf::internal
