// The passes of a resize with AVX2. A sum of bytes times weights of 22 bits is taken in two parts:
// a weight is 65536 times its high part, which has 8 bits, plus its low part. So the sum is 65536
// times a sum of 16 bits, plus one of 32 bits. Both may overflow: the whole sum has 32 bits, and
// its upper half is right modulo 2^16. These 16 bits are all that rounding needs.

#include "image/resize_passes.h"

#if defined(__x86_64__)

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <optional>

#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif

namespace sheaf::internal {
namespace {

constexpr int kLowBits = 16;
constexpr std::int64_t kBlockValues =
    32;  // of a row, that the pass along the columns makes at once
constexpr std::int64_t kChannelsMax = 4;

/// A weight in two parts.
struct Parts {
  std::int32_t high = 0;
  std::int32_t low = 0;
};

Parts parts_of(std::int32_t weight) noexcept {
  const std::int32_t high = (weight + (1 << (kLowBits - 1))) >> kLowBits;
  return {high, weight - high * (1 << kLowBits)};
}

// Sums of two products of 8 bits are clipped to 16 bits: weights of 2 and more could be too large.
bool may_clip(const Parts& first, const Parts& second) noexcept {
  return std::abs(first.high) + std::abs(second.high) > 128 || first.high > 127 ||
         second.high > 127;
}

std::int32_t weight_at(const AxisWeights& weights, std::int64_t at, std::int64_t tap) noexcept {
  return tap < weights.count(at) ? weights.of(at)[tap] : 0;
}

std::int64_t most_taps(const AxisWeights& weights) noexcept {
  std::int32_t most = 1;
  for (std::int64_t at = 0; at < weights.made; ++at) most = std::max(most, weights.count(at));
  return most;
}

__m256i both_lanes(const void* bytes) noexcept {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(static_cast<const __m128i*>(bytes)));
}

__m128i load(const std::uint8_t* bytes) noexcept {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
}

/// Sums of 16 values in each half of 8, in parts.
struct Sums {
  __m256i high;
  __m256i even;  // low parts of values 0, 2, 4 and 6 in each half
  __m256i odd;

  Sums() noexcept
      : high(_mm256_setzero_si256()), even(_mm256_setzero_si256()), odd(_mm256_setzero_si256()) {}

  /// Adds products. In `bytes` the two sources of a value lie side by side.
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
    // A product with 512 that loses 15 bits, rounded: six bits less.
    return _mm256_mulhrs_epi16(_mm256_add_epi16(high, low), _mm256_set1_epi16(512));
  }
};

/// Makes the weights of the groups: [group][pair of taps].
bool fill_weights(const AxisWeights& weights, std::int64_t channels, std::int64_t pair_count,
                  const RowProgram& program, std::vector<PairWeights>& to) {
  to.clear();
  to.resize(program.groups.size() * static_cast<std::size_t>(pair_count));
  PairWeights* out = to.data();
  for (std::int64_t group = 0; group < std::ssize(program.groups); ++group, out += pair_count) {
    for (std::int64_t slot = 0; slot < RowProgram::kGroupSlots; ++slot) {
      const std::int64_t value = program.value_at(group, slot);
      if (value == RowProgram::kNone) continue;
      const std::int64_t x = value / channels;
      const auto place = static_cast<std::size_t>(slot);
      for (std::int64_t pair = 0; pair < pair_count; ++pair) {
        const Parts first = parts_of(weight_at(weights, x, 2 * pair));
        const Parts second = parts_of(weight_at(weights, x, 2 * pair + 1));
        if (may_clip(first, second)) return false;
        out[pair].high[2 * place] = static_cast<std::int8_t>(first.high);
        out[pair].high[2 * place + 1] = static_cast<std::int8_t>(second.high);
        auto& low = slot % 2 == 0 ? out[pair].even : out[pair].odd;
        low[place / 2 * 2] = static_cast<std::int16_t>(first.low);
        low[place / 2 * 2 + 1] = static_cast<std::int16_t>(second.low);
      }
    }
  }
  return true;
}

/// Two rows on their way, one in each half of the vectors.
struct RowPair {
  const std::uint8_t* from[2];
  std::uint8_t* to[2];
};

/// Resizes rows, two at a time.
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
    run_blocks(rows, 0, program_.tail_group, rows.from[0], rows.from[1]);
    if (program_.tail_room == 0) return;
    std::uint8_t* const above = tails_.data();
    std::uint8_t* const below = above + program_.tail_room;
    const auto size = static_cast<std::size_t>(program_.tail_bytes);
    std::memcpy(above, rows.from[0] + program_.tail_first, size);
    std::memcpy(below, rows.from[1] + program_.tail_first, size);
    run_blocks(rows, program_.tail_group, std::ssize(program_.groups), above, below);
  }

 private:
  void run_blocks(const RowPair& rows, std::int64_t first, std::int64_t end,
                  const std::uint8_t* above, const std::uint8_t* below) const noexcept {
    if (program_.has_one_window && pair_count_ == 1) {
      run_each<true, 1>(rows, first, end, above, below);
    } else if (pair_count_ == 2) {
      run_each<false, 2>(rows, first, end, above, below);
    } else {
      run_each<false, 0>(rows, first, end, above, below);
    }
  }

  template <bool kHasOneWindow, std::int64_t kPairs>
  void run_each(const RowPair& rows, std::int64_t first, std::int64_t end,
                const std::uint8_t* above, const std::uint8_t* below) const noexcept {
    const std::int64_t values = 4 * program_.half_values;  // of a block
    for (std::int64_t group = first; group < end; group += 2) {
      const __m256i made =
          _mm256_packus_epi16(make<kHasOneWindow, kPairs>(group, above, below),
                              make<kHasOneWindow, kPairs>(group + 1, above, below));
      store(rows, group / 2 * values, values, made);
    }
  }

  template <bool kHasOneWindow, std::int64_t kPairs>
  __m256i make(std::int64_t number, const std::uint8_t* above,
               const std::uint8_t* below) const noexcept {
    const RowProgram::Group& group = program_.groups[static_cast<std::size_t>(number)];
    const std::int64_t pair_count = kPairs > 0 ? kPairs : pair_count_;
    const PairWeights* weights = pair_weights_ + number * pair_count;
    const __m256i first_shuffle = both_lanes(group.first_shuffle.data());
    const __m256i second_shuffle = both_lanes(group.second_shuffle.data());
    Sums sums;
    std::int64_t shift = 0;
    for (std::int64_t pair = 0; pair < pair_count; ++pair, ++weights, shift += pair_bytes_) {
      __m256i bytes =
          _mm256_shuffle_epi8(window(above, below, group.bases[0] + shift), first_shuffle);
      if constexpr (!kHasOneWindow) {
        bytes = _mm256_or_si256(
            bytes,
            _mm256_shuffle_epi8(window(above, below, group.bases[1] + shift), second_shuffle));
      }
      sums.add(bytes, both_lanes(weights->high.data()), both_lanes(weights->even.data()),
               both_lanes(weights->odd.data()));
    }
    return sums.rounded();
  }

  static __m256i window(const std::uint8_t* above, const std::uint8_t* below,
                        std::int64_t at) noexcept {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(load(above + at)), load(below + at), 1);
  }

  // Puts the values of a block into both rows. Stores have 16 bytes, of which the first are right.
  void store(const RowPair& rows, std::int64_t at, std::int64_t values,
             __m256i made) const noexcept {
    if (program_.half_values != RowProgram::kHalfSlots) made = without_empty_slots(made);
    const __m128i halves[2] = {_mm256_castsi256_si128(made), _mm256_extracti128_si256(made, 1)};
    const std::int64_t rest = program_.value_count - at;
    for (int i = 0; i < 2; ++i) {
      if (rest >= RowProgram::kWindowBytes) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(rows.to[i] + at), halves[i]);
        continue;
      }
      std::array<std::uint8_t, RowProgram::kWindowBytes> last;  // NOLINT: filled next
      _mm_storeu_si128(reinterpret_cast<__m128i*>(last.data()), halves[i]);
      if (rest > 0) {
        std::memcpy(rows.to[i] + at, last.data(), static_cast<std::size_t>(std::min(rest, values)));
      }
    }
  }

  [[nodiscard]] __m256i without_empty_slots(__m256i made) const noexcept {
    static constexpr std::uint8_t kFullSlots[3][16] = {
        {0, 4, 8, 12}, {0, 1, 4, 5, 8, 9, 12, 13}, {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14}};
    return _mm256_shuffle_epi8(made, both_lanes(kFullSlots[program_.half_values - 1]));
  }

  const RowProgram& program_;
  const PairWeights* pair_weights_;
  std::int64_t pair_count_;
  std::int64_t pair_bytes_;
  std::vector<std::uint8_t>& tails_;
};

/// The rows and weights of one row of the result: pairs of taps.
struct ColumnPair {
  const std::uint8_t* above = nullptr;
  const std::uint8_t* below = nullptr;
  Parts first = {};
  Parts second = {};
};

/// Makes 32 values of a row.
void make_block(std::span<const ColumnPair> pairs, std::int64_t at, std::uint8_t* to) noexcept {
  Sums left;  // of values 0 to 7 and 16 to 23
  Sums right;
  for (const ColumnPair& pair : pairs) {
    const __m256i above = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(pair.above + at));
    const __m256i below = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(pair.below + at));
    const auto two = [](std::int32_t first, std::int32_t second, int bits) {
      const std::int32_t mask = (1 << bits) - 1;
      return (first & mask) | static_cast<std::int32_t>(static_cast<std::uint32_t>(second & mask)
                                                        << static_cast<unsigned>(bits));
    };
    const __m256i high =
        _mm256_set1_epi16(static_cast<std::int16_t>(two(pair.first.high, pair.second.high, 8)));
    const __m256i low = _mm256_set1_epi32(two(pair.first.low, pair.second.low, 16));
    left.add(_mm256_unpacklo_epi8(above, below), high, low, low);
    right.add(_mm256_unpackhi_epi8(above, below), high, low, low);
  }
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + at),
                      _mm256_packus_epi16(left.rounded(), right.rounded()));
}

}  // namespace

bool resize_rows_avx2(const PixelView<const std::uint8_t>& from, std::int64_t first_row,
                      const AxisWeights& weights, const PixelView<std::uint8_t>& to,
                      ResizeMemory& memory) {
  const std::int64_t channels = to.channels;
  if (channels > kChannelsMax || to.height == 0) return false;
  const std::int64_t pair_count = (most_taps(weights) + 1) / 2;
  memory.sources.clear();
  for (std::int64_t x = 0; x < to.width; ++x) {
    for (std::int64_t c = 0; c < channels; ++c) {
      const auto first = static_cast<std::int32_t>(weights.first(x) * channels + c);
      memory.sources.push_back({first, static_cast<std::int32_t>(first + channels)});
    }
  }
  make_row_program(memory.sources, from.width * channels, 2 * channels * (pair_count - 1),
                   memory.program);
  if (!fill_weights(weights, channels, pair_count, memory.program, memory.pair_weights)) {
    return false;
  }
  RowPass pass(memory.program, channels, pair_count, memory);
  for (std::int64_t y = 0; y < to.height; y += 2) {
    const std::int64_t next = std::min(y + 1, to.height - 1);  // an odd last row is made twice
    pass.run({.from = {from.row(first_row + y), from.row(first_row + next)},
              .to = {to.row(y), to.row(next)}});
  }
  return true;
}

bool resize_columns_avx2(const PixelView<const std::uint8_t>& from, std::int64_t first_row,
                         const AxisWeights& weights, const PixelView<std::uint8_t>& to,
                         ResizeMemory& memory) {
  const std::int64_t count = to.width * to.channels;
  if (count < kBlockValues) return false;
  static_cast<void>(memory);
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
      pairs.push_back({.above = from.row(first + k),
                       .below = from.row(first + next),
                       .first = parts_of(weight_at(weights, y, k)),
                       .second = parts_of(weight_at(weights, y, k + 1))});
    }
    for (std::int64_t at = 0; at < count; at += kBlockValues) {
      make_block(pairs, std::min(at, count - kBlockValues), to.row(y));  // the last ones overlap
    }
  }
  return true;
}

}  // namespace sheaf::internal

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
