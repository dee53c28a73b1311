/// \file
/// Sums of bytes times 22-bit weights, with AVX2. A file selects the instruction set before it
/// includes this header.
///
/// A weight is 65536 times its high part of 8 bits, plus its low part. So a sum is 65536 times a
/// 16-bit sum, plus a 32-bit sum. Both may overflow. The whole sum has 32 bits, and its upper half
/// is right modulo 2^16. Rounding needs only these 16 bits.

#pragma once

#include <cstdint>
#include <cstdlib>

#include <immintrin.h>

#include "image/pillow_axis.h"

namespace sheaf::internal {

/// The number of bits of the low part of a weight.
inline constexpr int kLowBits = 16;

/// A weight in two parts: 65536 * high + low.
struct Parts {
  std::int32_t high = 0;
  std::int32_t low = 0;
};

inline Parts parts_of(std::int32_t weight) noexcept {
  const std::int32_t high = (weight + (1 << (kLowBits - 1))) >> kLowBits;
  return {high, weight - high * (1 << kLowBits)};
}

/// Returns whether 16-bit sums of two products may saturate. Weights below 2 are small enough.
inline bool may_clip(const Parts& first, const Parts& second) noexcept {
  return std::abs(first.high) + std::abs(second.high) > 128 || first.high > 127 ||
         second.high > 127;
}

/// Returns the weight of a tap, or 0 behind the last tap.
inline std::int32_t weight_at(const AxisWeights& weights, std::int64_t at,
                              std::int64_t tap) noexcept {
  return tap < weights.count(at) ? weights.of(at)[tap] : 0;
}

/// Returns 16 bytes in both lanes.
inline __m256i both_lanes(const void* bytes) noexcept {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(static_cast<const __m128i*>(bytes)));
}

/// The sums of 16 values, 8 in each half, in parts.
struct Sums {
  __m256i high;
  __m256i even;  // low parts of values 0, 2, 4 and 6 in each half
  __m256i odd;

  Sums() noexcept
      : high(_mm256_setzero_si256()), even(_mm256_setzero_si256()), odd(_mm256_setzero_si256()) {}

  /// Adds products. In `bytes`, the two sources of a value are adjacent.
  void add(__m256i bytes, __m256i high_weights, __m256i even_weights,
           __m256i odd_weights) noexcept {
    constexpr char kNone = -128;
    const __m256i evens = _mm256_setr_epi8(
        0, kNone, 1, kNone, 4, kNone, 5, kNone, 8, kNone, 9, kNone, 12, kNone, 13, kNone,  //
        0, kNone, 1, kNone, 4, kNone, 5, kNone, 8, kNone, 9, kNone, 12, kNone, 13, kNone);
    const __m256i odds = _mm256_setr_epi8(
        2, kNone, 3, kNone, 6, kNone, 7, kNone, 10, kNone, 11, kNone, 14, kNone, 15, kNone,  //
        2, kNone, 3, kNone, 6, kNone, 7, kNone, 10, kNone, 11, kNone, 14, kNone, 15, kNone);
    high = _mm256_add_epi16(high, _mm256_maddubs_epi16(bytes, high_weights));
    even =
        _mm256_add_epi32(even, _mm256_madd_epi16(_mm256_shuffle_epi8(bytes, evens), even_weights));
    odd = _mm256_add_epi32(odd, _mm256_madd_epi16(_mm256_shuffle_epi8(bytes, odds), odd_weights));
  }

  /// Returns the sums as 16 whole numbers, rounded.
  [[nodiscard]] __m256i rounded() const noexcept {
    constexpr int kOdd = 0xAA;
    const __m256i low = _mm256_blend_epi16(_mm256_srli_epi32(even, kLowBits), odd, kOdd);
    // Multiplies by 512 and drops 15 bits with rounding. This drops six bits.
    return _mm256_mulhrs_epi16(_mm256_add_epi16(high, low), _mm256_set1_epi16(512));
  }
};

}  // namespace sheaf::internal
