// The kernel of compressed matrices for AVX-512. A tile has 16 rows of 16 columns. The kernel
// computes the values of a tile column by column, and transposes the tile in registers.
//
// Kaldi computes a value as first + size * step / parts: the product in float, the rest in double.
// The result is rounded to float. In the first two parts of a column, `parts` is a power of two.
// Then the quotient is exact in float, too. The sum of two floats, rounded to double and then to
// float, equals the sum rounded to float (Figueroa, "When is double rounding innocuous?", 1995).
// So one product and one sum in float have the bits of Kaldi's value. In the third part, `parts` is
// 63. A table has the values of this part, computed as Kaldi does.

#include "format/kaldi/kaldi_column_kernel.h"

#if defined(__x86_64__)

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl,avx512bw"))), \
                             apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq,avx512vl,avx512bw")
#pragma GCC diagnostic ignored "-Wuninitialized"  // in the header of the intrinsics
#endif

namespace sheaf::internal {
namespace {

constexpr std::size_t kCols = kKaldiKernelCols;

/// What the values of a column are computed from. Parts are counted from 0.
struct alignas(64) Column {
  std::array<float, 64> third;      // [byte - 192]: the values of the last part
  std::array<float, 2> firsts;      // beginnings of the other parts
  std::array<float, 2> step_sizes;  // the sizes of these parts, divided by their number of steps
};

struct Tile {
  __m512 rows[kCols];  // std::array would lose the alignment
};

/// Returns whether products and quotients of the size of a part neither overflow nor lose bits.
bool is_ordinary(float size) noexcept {
  const float magnitude = std::fabs(size);
  return size == 0 || (magnitude >= 0x1p-100F && magnitude <= 0x1p100F);
}

bool is_ordinary(const KaldiPercentiles& p) noexcept {
  return std::isfinite(p.p0) && std::isfinite(p.p25) && std::isfinite(p.p75) &&
         std::isfinite(p.p100) && is_ordinary(p.p25 - p.p0) && is_ordinary(p.p75 - p.p25);
}

void set_column(const KaldiPercentiles& p, Column& column) noexcept {
  column.firsts = {p.p0, p.p25};
  column.step_sizes = {(p.p25 - p.p0) * (1 / 64.0F), (p.p75 - p.p25) * (1 / 128.0F)};
  const __m256 size = _mm256_set1_ps(p.p100 - p.p75);
  const __m512d first = _mm512_set1_pd(static_cast<double>(p.p75));
  const __m512d per_step = _mm512_set1_pd(1 / 63.0);
  __m256 steps = _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7);
  for (std::size_t i = 0; i < column.third.size(); i += 8) {
    const __m512d product = _mm512_cvtps_pd(_mm256_mul_ps(size, steps));
    const __m512d value = _mm512_add_pd(first, _mm512_mul_pd(product, per_step));
    _mm256_store_ps(column.third.data() + i, _mm512_cvtpd_ps(value));
    steps = _mm256_add_ps(steps, _mm256_set1_ps(8));
  }
}

/// Returns the values of 16 bytes of a column.
__m512 values_of(const Column& column, const std::byte* bytes) noexcept {
  const __m128i numbers = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
  const __mmask16 in_second = _mm_cmpgt_epu8_mask(numbers, _mm_set1_epi8(64));
  const __mmask16 in_third = _mm_cmpgt_epu8_mask(numbers, _mm_set1_epi8(static_cast<char>(192)));
  // The lowest six bits of a number select a value of the third part. The difference keeps them.
  const __m512i steps =
      _mm512_cvtepu8_epi32(_mm_mask_sub_epi8(numbers, in_second, numbers, _mm_set1_epi8(64)));
  const __m512 first = _mm512_mask_mov_ps(_mm512_set1_ps(column.firsts[0]), in_second,
                                          _mm512_set1_ps(column.firsts[1]));
  const __m512 size = _mm512_mask_mov_ps(_mm512_set1_ps(column.step_sizes[0]), in_second,
                                         _mm512_set1_ps(column.step_sizes[1]));
  const __m512 value = _mm512_add_ps(first, _mm512_mul_ps(size, _mm512_cvtepi32_ps(steps)));
  const float* const third = column.third.data();
  const __m512 low =
      _mm512_permutex2var_ps(_mm512_load_ps(third), steps, _mm512_load_ps(third + 16));
  const __m512 high =
      _mm512_permutex2var_ps(_mm512_load_ps(third + 32), steps, _mm512_load_ps(third + 48));
  const __mmask16 is_high = _mm_test_epi8_mask(numbers, _mm_set1_epi8(32));
  return _mm512_mask_mov_ps(value, in_third, _mm512_mask_mov_ps(low, is_high, high));
}

/// Transposes a tile.
void transpose(Tile& tile) noexcept {
  __m512* const v = tile.rows;
  Tile pairs;  // NOLINT: filled before use
  for (std::size_t i = 0; i < kCols; i += 2) {
    pairs.rows[i] = _mm512_unpacklo_ps(v[i], v[i + 1]);
    pairs.rows[i + 1] = _mm512_unpackhi_ps(v[i], v[i + 1]);
  }
  Tile fours;  // NOLINT: filled before use
  for (std::size_t i = 0; i < kCols; i += 4) {
    const __m512* const p = pairs.rows + i;
    fours.rows[i] = _mm512_shuffle_ps(p[0], p[2], 0x44);
    fours.rows[i + 1] = _mm512_shuffle_ps(p[0], p[2], 0xEE);
    fours.rows[i + 2] = _mm512_shuffle_ps(p[1], p[3], 0x44);
    fours.rows[i + 3] = _mm512_shuffle_ps(p[1], p[3], 0xEE);
  }
  for (std::size_t i = 0; i < 4; ++i) {
    const __m512* const f = fours.rows + i;
    const __m512 even_low = _mm512_shuffle_f32x4(f[0], f[4], 0x88);  // rows i and i + 8
    const __m512 odd_low = _mm512_shuffle_f32x4(f[0], f[4], 0xDD);   // rows i + 4 and i + 12
    const __m512 even_high = _mm512_shuffle_f32x4(f[8], f[12], 0x88);
    const __m512 odd_high = _mm512_shuffle_f32x4(f[8], f[12], 0xDD);
    v[i] = _mm512_shuffle_f32x4(even_low, even_high, 0x88);
    v[i + 4] = _mm512_shuffle_f32x4(odd_low, odd_high, 0x88);
    v[i + 8] = _mm512_shuffle_f32x4(even_low, even_high, 0xDD);
    v[i + 12] = _mm512_shuffle_f32x4(odd_low, odd_high, 0xDD);
  }
}

}  // namespace

bool decode_columns_avx512(const KaldiColumns& columns) noexcept {
  const std::span<const KaldiPercentiles> percentiles = columns.percentiles;
  assert(!percentiles.empty() && percentiles.size() <= kCols);
  assert(columns.row_count >= kKaldiKernelRows);
  if (!std::ranges::all_of(percentiles, [](const auto& p) { return is_ordinary(p); })) return false;
  std::array<Column, kCols> tables;  // NOLINT: filled before use
  std::array<const std::byte*, kCols> bytes{};
  for (std::size_t c = 0; c < kCols; ++c) {
    // Columns past the last one use its bytes, and are not stored.
    const std::size_t col = std::min(c, percentiles.size() - 1);
    if (c == col) set_column(percentiles[c], tables[c]);
    bytes[c] = columns.bytes + static_cast<std::int64_t>(col) * columns.column_size_bytes;
  }
  const auto mask = static_cast<__mmask16>((1U << percentiles.size()) - 1);
  for (std::int64_t r = 0; r < columns.row_count; r += kKaldiKernelRows) {
    // The last tile overlaps the rows before.
    const std::int64_t row = std::min(r, columns.row_count - kKaldiKernelRows);
    Tile tile;  // NOLINT: filled before use
    for (std::size_t c = 0; c < kCols; ++c) {
      tile.rows[c] = values_of(tables[std::min(c, percentiles.size() - 1)], bytes[c] + row);
    }
    transpose(tile);
    float* to = columns.to + row * columns.stride;
    for (const __m512& values : tile.rows) {
      _mm512_mask_storeu_ps(to, mask, values);
      to += columns.stride;
    }
  }
  return true;
}

}  // namespace sheaf::internal

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
