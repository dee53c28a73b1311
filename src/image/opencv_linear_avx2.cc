// Linear interpolation as in OpenCV 4.6, with AVX2. Processes 16 values of a row at a time, and
// then 32 values of the sum of two rows.

#include "image/opencv_linear.h"

#if defined(__x86_64__)

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstring>
#include <vector>

#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif

namespace sheaf::internal {
namespace {

constexpr std::int64_t kChannelsMax = 4;
constexpr std::int64_t kSumValues = 32;    // values of a row that are summed at a time
constexpr std::int64_t kStoreValues = 16;  // values that may be written behind a row
constexpr std::int64_t kBlockWeights = 32;

__m256i two_halves(const void* low, const void* high) noexcept {
  return _mm256_inserti128_si256(
      _mm256_castsi128_si256(_mm_loadu_si128(static_cast<const __m128i*>(low))),
      _mm_loadu_si128(static_cast<const __m128i*>(high)), 1);
}

/// The pass over the rows: one row at a time, with one group in each half of the vectors.
class LinearRowPass {
 public:
  LinearRowPass(std::span<const LinearTap> columns, std::int64_t channels, std::int64_t row_bytes,
                ResizeMemory& memory)
      : program_(memory.program), weights_(memory.short_weights), tail_(memory.tails) {
    memory.sources.clear();
    for (const LinearTap& tap : columns) {
      for (std::int64_t c = 0; c < channels; ++c) {
        memory.sources.push_back({static_cast<std::int32_t>(tap.first * channels + c),
                                  static_cast<std::int32_t>(tap.second * channels + c)});
      }
    }
    make_row_program(memory.sources, row_bytes, 0, program_);
    tail_.assign(static_cast<std::size_t>(program_.tail_room), 0);
    fill_weights(columns, channels);
  }

  /// Writes the sums of a row, and up to kStoreValues more values.
  void run(const std::uint8_t* from, std::int16_t* to) {
    run_blocks(from, 0, program_.tail_group, to);
    if (program_.tail_room == 0) return;
    std::memcpy(tail_.data(), from + program_.tail_first,
                static_cast<std::size_t>(program_.tail_bytes));
    run_blocks(tail_.data(), program_.tail_group, std::ssize(program_.groups), to);
  }

 private:
  // Stores the weights of each block of two groups: first those of lanes 0 to 3 of both groups,
  // then those of lanes 4 to 7.
  void fill_weights(std::span<const LinearTap> columns, std::int64_t channels) {
    weights_.assign(program_.groups.size() / 2 * kBlockWeights, 0);
    for (std::int64_t group = 0; group < std::ssize(program_.groups); ++group) {
      for (std::int64_t lane = 0; lane < RowProgram::kGroupLanes; ++lane) {
        const std::int64_t value = program_.value_at(group, lane);
        if (value == RowProgram::kNone) continue;
        const LinearTap& tap = columns[static_cast<std::size_t>(value / channels)];
        const std::int64_t at =
            group / 2 * kBlockWeights + lane / 4 * 16 + group % 2 * 8 + lane % 4 * 2;
        weights_[static_cast<std::size_t>(at)] = tap.first_weight;
        weights_[static_cast<std::size_t>(at + 1)] = tap.second_weight;
      }
    }
  }

  void run_blocks(const std::uint8_t* from, std::int64_t first, std::int64_t end,
                  std::int16_t* to) const noexcept {
    if (program_.has_one_window) {
      run_each<true>(from, first, end, to);
    } else {
      run_each<false>(from, first, end, to);
    }
  }

  template <bool kHasOneWindow>
  void run_each(const std::uint8_t* from, std::int64_t first, std::int64_t end,
                std::int16_t* to) const noexcept {
    const std::int64_t half_values = program_.half_values;
    const bool has_empty_lanes = half_values != RowProgram::kHalfLanes;
    const auto& full = kUsedLanes[static_cast<std::size_t>(half_values - 1)];
    const __m256i used_lanes = two_halves(full.data(), full.data());
    const __m256i zero = _mm256_setzero_si256();
    const RowProgram::Group* group = program_.groups.data() + first;
    const std::int16_t* weights = weights_.data() + first / 2 * kBlockWeights;
    to += 2 * first * half_values;
    for (std::int64_t number = first; number < end; number += 2, group += 2) {
      __m256i bytes = _mm256_shuffle_epi8(
          two_halves(from + group[0].bases[0], from + group[1].bases[0]),
          two_halves(group[0].first_shuffle.data(), group[1].first_shuffle.data()));
      if constexpr (!kHasOneWindow) {
        bytes = _mm256_or_si256(
            bytes, _mm256_shuffle_epi8(
                       two_halves(from + group[0].bases[1], from + group[1].bases[1]),
                       two_halves(group[0].second_shuffle.data(), group[1].second_shuffle.data())));
      }
      const auto* const pairs = reinterpret_cast<const __m256i*>(weights);
      const __m256i low =
          _mm256_madd_epi16(_mm256_unpacklo_epi8(bytes, zero), _mm256_loadu_si256(pairs));
      const __m256i high =
          _mm256_madd_epi16(_mm256_unpackhi_epi8(bytes, zero), _mm256_loadu_si256(pairs + 1));
      __m256i sums = _mm256_packs_epi32(_mm256_srai_epi32(low, 4), _mm256_srai_epi32(high, 4));
      if (has_empty_lanes) sums = _mm256_shuffle_epi8(sums, used_lanes);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(sums));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 2 * half_values),
                       _mm256_extracti128_si256(sums, 1));
      weights += kBlockWeights;
      to += 4 * half_values;
    }
  }

  // Selects the bytes of used lanes, if each half has 1, 2, 3 or 4 of them.
  static constexpr std::array<std::array<std::uint8_t, 16>, 4> kUsedLanes = {{
      {0, 1, 8, 9},
      {0, 1, 2, 3, 8, 9, 10, 11},
      {0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13},
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
  }};

  RowProgram& program_;
  std::vector<std::int16_t>& weights_;
  std::vector<std::uint8_t>& tail_;
};

/// Sums two rows, 32 values at a time. The last 32 values overlap the values before.
void sum_two_rows(const std::int16_t* above, const std::int16_t* below, const LinearTap& tap,
                  std::int64_t count, std::uint8_t* to) noexcept {
  const __m256i above_weight = _mm256_set1_epi16(tap.first_weight);
  const __m256i below_weight = _mm256_set1_epi16(tap.second_weight);
  const auto sum_at = [&](std::int64_t at) {
    const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(above + at));
    const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(below + at));
    const __m256i sum =
        _mm256_add_epi16(_mm256_mulhi_epi16(a, above_weight), _mm256_mulhi_epi16(b, below_weight));
    return _mm256_srai_epi16(_mm256_add_epi16(sum, _mm256_set1_epi16(2)), 2);
  };
  for (std::int64_t next = 0; next < count; next += kSumValues) {
    constexpr int kInOrder = 0xD8;  // packing alternates between halves
    const std::int64_t at = std::min(next, count - kSumValues);
    const __m256i packed = _mm256_packus_epi16(sum_at(at), sum_at(at + kSumValues / 2));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + at),
                        _mm256_permute4x64_epi64(packed, kInOrder));
  }
}

}  // namespace

bool resize_linear_avx2(const PixelView<const std::uint8_t>& from,
                        std::span<const LinearTap> columns, std::span<const LinearTap> rows,
                        const PixelView<std::uint8_t>& to, ResizeMemory& memory) {
  assert(std::ssize(columns) == to.width && std::ssize(rows) == to.height);
  const std::int64_t count = to.width * to.channels;
  if (to.channels > kChannelsMax || count < kSumValues) return false;
  LinearRowPass pass(columns, to.channels, from.width * from.channels, memory);
  const std::int64_t stride = count + kStoreValues;
  memory.short_sums.resize(static_cast<std::size_t>(2 * stride));
  std::array<std::int64_t, 2> held = {-1, -1};  // row of `from` that each row of sums belongs to
  const auto sums_of = [&](std::int64_t source) {
    const std::int64_t index = source % 2;
    std::int16_t* const sums = memory.short_sums.data() + index * stride;
    std::int64_t& is_of = held[static_cast<std::size_t>(index)];
    if (is_of != source) pass.run(from.row(source), sums);
    is_of = source;
    return sums;
  };
  for (std::int64_t y = 0; y < to.height; ++y) {
    const LinearTap& tap = rows[static_cast<std::size_t>(y)];
    const std::int16_t* const above = sums_of(tap.first);
    sum_two_rows(above, sums_of(tap.second), tap, count, to.row(y));
  }
  return true;
}

}  // namespace sheaf::internal

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
