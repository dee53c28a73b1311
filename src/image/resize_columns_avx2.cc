// The vertical pass with AVX2: 32 values of a row at a time.

#include "image/resize_passes.h"

#if defined(__x86_64__)

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif

#include "image/resize_sums_avx2.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kBlockValues = 32;

/// Two rows, and their weights.
struct ColumnPair {
  const std::uint8_t* above = nullptr;
  const std::uint8_t* below = nullptr;
  std::int16_t high = 0;  // the high parts of both weights, 8 bits each
  std::int32_t low = 0;   // the low parts, 16 bits each
};

std::int32_t side_by_side(std::int32_t first, std::int32_t second, unsigned bits) noexcept {
  const std::uint32_t mask = (1U << bits) - 1;
  return static_cast<std::int32_t>((static_cast<std::uint32_t>(first) & mask) |
                                   (static_cast<std::uint32_t>(second) & mask) << bits);
}

/// The sums of 32 values of a row.
struct BlockSums {
  Sums left;  // of values 0 to 7 and 16 to 23
  Sums right;

  BlockSums() noexcept {}  // NOLINT: a default constructor would lack the instruction set

  void add(const ColumnPair& pair, std::int64_t at, __m256i high, __m256i low) noexcept {
    const __m256i above = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(pair.above + at));
    const __m256i below = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(pair.below + at));
    left.add(_mm256_unpacklo_epi8(above, below), high, low, low);
    right.add(_mm256_unpackhi_epi8(above, below), high, low, low);
  }

  void store(std::uint8_t* to) const noexcept {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        _mm256_packus_epi16(left.rounded(), right.rounded()));
  }
};

/// Computes a row of `count` values, 32 at a time. The last 32 values overlap the values before.
void make_row(std::span<const ColumnPair> pairs, std::int64_t count, std::uint8_t* to) noexcept {
  const auto each_block = [&](const auto& visit) {
    std::int64_t at = 0;
    for (; at + kBlockValues <= count; at += kBlockValues) visit(at);
    if (at < count) visit(count - kBlockValues);
  };
  if (pairs.size() == 1) {
    const ColumnPair pair = pairs[0];
    const __m256i high = _mm256_set1_epi16(pair.high);
    const __m256i low = _mm256_set1_epi32(pair.low);
    each_block([&](std::int64_t at) {
      BlockSums sums;
      sums.add(pair, at, high, low);
      sums.store(to + at);
    });
    return;
  }
  each_block([&](std::int64_t at) {
    BlockSums sums;
    for (const ColumnPair& pair : pairs) {
      sums.add(pair, at, _mm256_set1_epi16(pair.high), _mm256_set1_epi32(pair.low));
    }
    sums.store(to + at);
  });
}

}  // namespace

bool resize_columns_avx2(const PixelView<const std::uint8_t>& from, std::int64_t first_row,
                         const AxisWeights& weights, const PixelView<std::uint8_t>& to) {
  const std::int64_t count = to.width * to.channels;
  if (count < kBlockValues) return false;
  std::vector<ColumnPair> pairs;
  for (std::int64_t y = 0; y < to.height; ++y) {
    for (std::int64_t k = 0; k < weights.count(y); k += 2) {
      if (may_clip(parts_of(weight_at(weights, y, k)), parts_of(weight_at(weights, y, k + 1)))) {
        return false;
      }
    }
  }
  for (std::int64_t y = 0; y < to.height; ++y) {
    pairs.clear();
    const std::int64_t first = weights.first(y) - first_row;
    for (std::int64_t k = 0; k < weights.count(y); k += 2) {
      const std::int64_t next = std::min<std::int64_t>(k + 1, weights.count(y) - 1);
      const Parts above = parts_of(weight_at(weights, y, k));
      const Parts below = parts_of(weight_at(weights, y, k + 1));
      pairs.push_back({.above = from.row(first + k),
                       .below = from.row(first + next),
                       .high = static_cast<std::int16_t>(side_by_side(above.high, below.high, 8)),
                       .low = side_by_side(above.low, below.low, 16)});
    }
    make_row(pairs, count, to.row(y));
  }
  return true;
}

}  // namespace sheaf::internal

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
