// The horizontal pass with AVX2: two rows at a time, one in each half of the vectors.

#include "image/resize_passes.h"

#if defined(__x86_64__)

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

constexpr std::int64_t kChannelsMax = 4;

__m128i load(const std::uint8_t* bytes) noexcept {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
}

std::int64_t most_taps(const AxisWeights& weights) noexcept {
  std::int32_t most = 1;
  for (std::int64_t at = 0; at < weights.made; ++at) most = std::max(most, weights.count(at));
  return most;
}

/// Computes the weights of the groups: [group][pair of taps].
bool fill_weights(const AxisWeights& weights, std::int64_t channels, std::int64_t pair_count,
                  const RowProgram& program, std::vector<PairWeights>& to) {
  to.clear();
  to.resize(program.groups.size() * static_cast<std::size_t>(pair_count));
  PairWeights* out = to.data();
  for (std::int64_t group = 0; group < std::ssize(program.groups); ++group, out += pair_count) {
    for (std::int64_t lane = 0; lane < RowProgram::kGroupLanes; ++lane) {
      const std::int64_t value = program.value_at(group, lane);
      if (value == RowProgram::kNone) continue;
      const std::int64_t x = value / channels;
      const auto entry = static_cast<std::size_t>(lane);
      for (std::int64_t pair = 0; pair < pair_count; ++pair) {
        const Parts first = parts_of(weight_at(weights, x, 2 * pair));
        const Parts second = parts_of(weight_at(weights, x, 2 * pair + 1));
        if (may_clip(first, second)) return false;
        out[pair].high[2 * entry] = static_cast<std::int8_t>(first.high);
        out[pair].high[2 * entry + 1] = static_cast<std::int8_t>(second.high);
        auto& low = lane % 2 == 0 ? out[pair].even : out[pair].odd;
        low[entry / 2 * 2] = static_cast<std::int16_t>(first.low);
        low[entry / 2 * 2 + 1] = static_cast<std::int16_t>(second.low);
      }
    }
  }
  return true;
}

/// Two rows being resized, one in each half of the vectors.
struct RowPair {
  const std::uint8_t* from[2];
  std::uint8_t* to[2];
};

/// The addresses of the sources of two rows: the rows themselves, or copies of their ends.
struct Windows {
  const std::uint8_t* above;
  const std::uint8_t* below;

  [[nodiscard]] __m256i at(std::int64_t entry) const noexcept {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(load(above + entry)), load(below + entry),
                                   1);
  }
};

/// Resizes rows, two at a time. Loops keep their values in local variables, since the compiler must
/// assume that a store of a byte changes members.
class RowPass {
 public:
  RowPass(const RowProgram& program, std::int64_t channels, std::int64_t pair_count,
          ResizeMemory& memory)
      : program_(program),
        pair_weights_(memory.pair_weights.data()),
        pair_count_(pair_count),
        pair_bytes_(2 * channels),
        tails_(memory.tails) {
    tails_.assign(static_cast<std::size_t>(2 * program_.tail_room), 0);
  }

  void run(const RowPair& rows) {
    run_blocks(rows, 0, program_.tail_group, {rows.from[0], rows.from[1]});
    if (program_.tail_room == 0) return;
    std::uint8_t* const above = tails_.data();
    std::uint8_t* const below = above + program_.tail_room;
    const auto size = static_cast<std::size_t>(program_.tail_bytes);
    std::memcpy(above, rows.from[0] + program_.tail_first, size);
    std::memcpy(below, rows.from[1] + program_.tail_first, size);
    run_blocks(rows, program_.tail_group, std::ssize(program_.groups), {above, below});
  }

 private:
  void run_blocks(const RowPair& rows, std::int64_t first, std::int64_t end,
                  const Windows& windows) const noexcept {
    if (program_.has_one_window && pair_count_ == 1) {
      run_each<true, 1>(rows, first, end, windows);
    } else if (pair_count_ == 2) {
      run_each<false, 2>(rows, first, end, windows);
    } else {
      run_each<false, 0>(rows, first, end, windows);
    }
  }

  // A store writes 16 bytes, of which only the first are valid. The next block overwrites the
  // others. Behind the last block there is no room for them.
  template <bool kHasOneWindow, std::int64_t kPairs>
  void run_each(const RowPair& rows, std::int64_t first, std::int64_t end,
                Windows windows) const noexcept {
    const std::int64_t pair_count = kPairs > 0 ? kPairs : pair_count_;
    const std::int64_t pair_bytes = pair_bytes_;
    const std::int64_t values = 4 * program_.half_values;  // values of a block
    const std::int64_t value_count = program_.value_count;
    const bool has_empty_lanes = program_.half_values != RowProgram::kHalfLanes;
    const __m256i used_lanes = both_lanes(kUsedLanes[program_.half_values - 1]);
    const RowProgram::Group* group = program_.groups.data() + first;
    const PairWeights* weights = pair_weights_ + first * pair_count;
    std::uint8_t* const above = rows.to[0];
    std::uint8_t* const below = rows.to[1];
    std::int64_t at = first / 2 * values;
    for (std::int64_t number = first; number < end; number += 2, group += 2, at += values) {
      __m256i made = _mm256_packus_epi16(
          make<kHasOneWindow>(group[0], weights, pair_count, pair_bytes, windows),
          make<kHasOneWindow>(group[1], weights + pair_count, pair_count, pair_bytes, windows));
      weights += 2 * pair_count;
      if (has_empty_lanes) made = _mm256_shuffle_epi8(made, used_lanes);
      if (at + RowProgram::kWindowBytes <= value_count) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(above + at), _mm256_castsi256_si128(made));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(below + at), _mm256_extracti128_si256(made, 1));
        continue;
      }
      std::array<std::uint8_t, 2 * RowProgram::kWindowBytes> both;  // NOLINT: filled next
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(both.data()), made);
      const std::int64_t size = std::min(value_count - at, values);
      if (size <= 0) return;
      std::memcpy(above + at, both.data(), static_cast<std::size_t>(size));
      std::memcpy(below + at, both.data() + RowProgram::kWindowBytes,
                  static_cast<std::size_t>(size));
    }
  }

  template <bool kHasOneWindow>
  static __m256i make(const RowProgram::Group& group, const PairWeights* weights,
                      std::int64_t pair_count, std::int64_t pair_bytes,
                      const Windows& windows) noexcept {
    const __m256i first_shuffle = both_lanes(group.first_shuffle.data());
    const __m256i second_shuffle = both_lanes(group.second_shuffle.data());
    std::int64_t first = group.bases[0];
    std::int64_t second = group.bases[1];
    Sums sums;
    for (std::int64_t pair = 0; pair < pair_count; ++pair, ++weights) {
      __m256i bytes = _mm256_shuffle_epi8(windows.at(first), first_shuffle);
      if constexpr (!kHasOneWindow) {
        bytes = _mm256_or_si256(bytes, _mm256_shuffle_epi8(windows.at(second), second_shuffle));
      }
      sums.add(bytes, both_lanes(weights->high.data()), both_lanes(weights->even.data()),
               both_lanes(weights->odd.data()));
      first += pair_bytes;
      second += pair_bytes;
    }
    return sums.rounded();
  }

  // Selects the bytes of used lanes of a block, if each half has 1, 2, 3 or 4 of them.
  static constexpr std::uint8_t kUsedLanes[4][16] = {
      {0, 4, 8, 12},
      {0, 1, 4, 5, 8, 9, 12, 13},
      {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14},
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};

  const RowProgram& program_;
  const PairWeights* pair_weights_;
  std::int64_t pair_count_;
  std::int64_t pair_bytes_;
  std::vector<std::uint8_t>& tails_;
};

}  // namespace

std::int64_t plan_rows_avx2(const AxisWeights& weights, std::int64_t from_width,
                            std::int64_t channels, ResizeMemory& memory) {
  if (channels > kChannelsMax) return 0;
  const std::int64_t pair_count = (most_taps(weights) + 1) / 2;
  memory.sources.clear();
  for (std::int64_t x = 0; x < weights.made; ++x) {
    for (std::int64_t c = 0; c < channels; ++c) {
      const auto first = static_cast<std::int32_t>(weights.first(x) * channels + c);
      memory.sources.push_back({first, static_cast<std::int32_t>(first + channels)});
    }
  }
  make_row_program(memory.sources, from_width * channels, 2 * channels * (pair_count - 1),
                   memory.program);
  const bool is_filled =
      fill_weights(weights, channels, pair_count, memory.program, memory.pair_weights);
  return is_filled ? pair_count : 0;
}

void resize_rows_avx2(const PixelView<const std::uint8_t>& from, std::int64_t first_row,
                      std::int64_t vector_pairs, const PixelView<std::uint8_t>& to,
                      ResizeMemory& memory) {
  RowPass pass(memory.program, to.channels, vector_pairs, memory);
  for (std::int64_t y = 0; y < to.height; y += 2) {
    const std::int64_t next = std::min(y + 1, to.height - 1);  // a single last row is done twice
    pass.run({.from = {from.row(first_row + y), from.row(first_row + next)},
              .to = {to.row(y), to.row(next)}});
  }
}

}  // namespace sheaf::internal

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
