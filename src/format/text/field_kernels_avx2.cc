// Kernels for AVX2 and BMI (Haswell, Zen and later). They work as in field_kernels_avx512.cc, but
// with byte masks in vectors, and four numbers in a vector.

#include "format/text/field_kernels.h"

#if defined(__x86_64__)

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <immintrin.h>

#include "base/number.h"
#include "base/text_scan.h"
#include "format/text/red_zone.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt"))), \
                             apply_to = function)
#else
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt")
#endif

#include "format/text/field_flow.h"

namespace sheaf::internal {
namespace {

/// 64 bytes and their classes, with a bit for each byte.
struct Block {
  __m256i low;
  __m256i high;

  explicit Block(const char* p)
      : low(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))),
        high(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 32))) {}

  static std::uint64_t bits_of(__m256i low, __m256i high) {
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
           (static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(high)))
            << 32);
  }
  [[nodiscard]] std::uint64_t equal(char c) const {
    const __m256i wanted = _mm256_set1_epi8(c);
    return bits_of(_mm256_cmpeq_epi8(low, wanted), _mm256_cmpeq_epi8(high, wanted));
  }
  [[nodiscard]] std::uint64_t below_blank() const {
    const __m256i max = _mm256_set1_epi8(0x1F);
    return bits_of(_mm256_cmpeq_epi8(_mm256_min_epu8(low, max), low),
                   _mm256_cmpeq_epi8(_mm256_min_epu8(high, max), high));
  }
  [[nodiscard]] std::uint64_t digits() const {
    const __m256i zero = _mm256_set1_epi8('0');
    const __m256i nine = _mm256_set1_epi8(9);
    const __m256i first = _mm256_sub_epi8(low, zero);
    const __m256i second = _mm256_sub_epi8(high, zero);
    return bits_of(_mm256_cmpeq_epi8(_mm256_min_epu8(first, nine), first),
                   _mm256_cmpeq_epi8(_mm256_min_epu8(second, nine), second));
  }
};

/// Appends the numbers of the set bits, each plus `offset`. Writes eight entries at a time.
template <std::int64_t kBlockMax>
inline void append_offsets(std::uint64_t bits, std::int64_t offset, OffsetList<kBlockMax>& list,
                           std::int64_t& count) {
  const std::int64_t size = std::popcount(bits);
  std::uint16_t* out = list.append(count, size);
  count += size;
  while (bits != 0) {
    for (int i = 0; i < 8; ++i) {
      out[i] = static_cast<std::uint16_t>(offset + static_cast<std::int64_t>(_tzcnt_u64(bits)));
      bits = _blsr_u64(bits);
    }
    out += 8;
  }
}

inline __m256i is_digit(__m256i digits) {
  return _mm256_cmpeq_epi8(_mm256_min_epu8(digits, _mm256_set1_epi8(9)), digits);
}

/// Each of four tokens is described by a sum over its bytes. Bits 0-4 hold the location of the
/// point, counted from 1. Bit 5 is set if there is a minus. Higher bits are set if one of the last
/// two bytes is a digit.
constexpr std::int64_t kPointMask = 0x1F;
constexpr char kMinusWeight = 0x20;
constexpr char kDigitWeight = 0x40;

inline __m256i summands(__m256i moved, __m256i minus, __m256i last_digits) {
  const __m256i points = _mm256_and_si256(moved, _mm256_set1_epi8(1));
  const __m256i minuses = _mm256_and_si256(minus, _mm256_set1_epi8(kMinusWeight));
  const __m256i digits = _mm256_and_si256(last_digits, _mm256_set1_epi8(kDigitWeight));
  return _mm256_sad_epu8(_mm256_or_si256(_mm256_or_si256(points, minuses), digits),
                         _mm256_setzero_si256());
}

template <int kSize>
inline __m256d scales_of(__m256i points) {
  static constexpr auto kScales = [] {
    std::array<double, std::size_t{kSize} + 1> scales{};
    scales[0] = 1;
    double power = 1;
    for (std::size_t i = kSize; i > 0; --i) {
      scales[i] = power;
      power *= 10;
    }
    return scales;
  }();
  assert(_mm256_movemask_epi8(_mm256_cmpgt_epi64(points, _mm256_set1_epi64x(kSize))) == 0);
  return _mm256_i64gather_pd(kScales.data(), points, 8);
}

/// Stores four quotients with their signs. Returns false if a quotient may not be rounded
/// correctly, if T cannot represent a whole number, or if a token has no digit where it must have
/// one.
template <int kSize, typename T>
inline bool store_quotients(__m256d mantissas, __m256i sums, T* values) {
  const __m256i points = _mm256_and_si256(sums, _mm256_set1_epi64x(kPointMask));
  const __m256d quotients = _mm256_div_pd(mantissas, scales_of<kSize>(points));
  const __m256d signs =
      _mm256_and_pd(_mm256_castsi256_pd(_mm256_slli_epi64(sums, 58)), _mm256_set1_pd(-0.0));
  const __m256d result = _mm256_xor_pd(quotients, signs);
  __m256i bad = _mm256_cmpgt_epi64(_mm256_set1_epi64x(kDigitWeight), sums);
  bad = _mm256_or_si256(
      bad, _mm256_castpd_si256(_mm256_cmp_pd(mantissas, _mm256_set1_pd(0x1p53), _CMP_GE_OQ)));
  if constexpr (std::is_same_v<T, float>) {
    const __m256i dropped = _mm256_and_si256(_mm256_castpd_si256(quotients),
                                             _mm256_set1_epi64x((std::int64_t{1} << 29) - 1));
    // The dropped bits must not be exactly a half for a decimal, and must be zero for a whole
    // number.
    const __m256i is_whole = _mm256_cmpeq_epi64(points, _mm256_setzero_si256());
    const __m256i known = _mm256_andnot_si256(is_whole, _mm256_set1_epi64x(std::int64_t{1} << 28));
    bad = _mm256_or_si256(bad, _mm256_xor_si256(is_whole, _mm256_cmpeq_epi64(dropped, known)));
    _mm_storeu_ps(values, _mm256_cvtpd_ps(result));
  } else {
    _mm256_storeu_pd(values, result);
  }
  return _mm256_testz_si256(bad, bad) != 0;
}

/// For each of four tokens, the eight bytes before its end, less '0'. Bytes before the start of the
/// token are cleared; `kept` marks the others.
struct EightBytes {
  __m256i digits;
  __m256i kept;
};

inline EightBytes load_eights(const char* text, const std::uint16_t* ends, __m128i sizes) {
  const auto load = [text](std::uint16_t end) {
    return static_cast<long long>(load_word(text + end - 8));
  };
  const __m256i bytes =
      _mm256_setr_epi64x(load(ends[0]), load(ends[1]), load(ends[2]), load(ends[3]));
  const __m256i shifts =
      _mm256_sub_epi64(_mm256_set1_epi64x(64), _mm256_slli_epi64(_mm256_cvtepu16_epi64(sizes), 3));
  const __m256i kept = _mm256_sllv_epi64(_mm256_set1_epi64x(-1), shifts);
  return {_mm256_and_si256(_mm256_sub_epi8(bytes, _mm256_set1_epi8('0')), kept), kept};
}

/// Joins eight digits each to integers below 10^8.
inline __m128i join_eights(__m256i digits) {
  const __m256i twos = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(0x010A));
  const __m256i fours = _mm256_madd_epi16(twos, _mm256_set1_epi32(0x0001'0064));
  const __m256i parts = _mm256_madd_epi16(fours, _mm256_set1_epi64x(0x0001'0000'2710));
  const __m256i joined = _mm256_add_epi32(parts, _mm256_srli_epi64(parts, 32));
  return _mm256_castsi256_si128(
      _mm256_permutevar8x32_epi32(joined, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6)));
}

/// Converts four tokens of at most eight bytes. Returns false if one is not a plain number.
template <typename T>
inline bool convert_eights(const char* text, const std::uint16_t* ends, __m128i sizes, T* values) {
  const auto [bytes, kept] = load_eights(text, ends, sizes);
  const __m256i first = _mm256_andnot_si256(_mm256_slli_epi64(kept, 8), kept);
  const __m256i minus =
      _mm256_and_si256(first, _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('-' - '0')));
  const __m256i points = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('.' - '0'));
  const __m256i no_point = _mm256_cmpeq_epi64(points, _mm256_setzero_si256());
  // The bytes up to the lowest point; none if there is no point.
  const __m256i below =
      _mm256_andnot_si256(points, _mm256_add_epi64(points, _mm256_set1_epi64x(-1)));
  const __m256i moved = _mm256_andnot_si256(
      no_point, _mm256_or_si256(_mm256_slli_epi64(below, 8), _mm256_set1_epi64x(0xFF)));
  __m256i digits = _mm256_andnot_si256(minus, bytes);
  digits = _mm256_blendv_epi8(digits, _mm256_slli_epi64(digits, 8), moved);
  const __m256i last = _mm256_srli_epi64(_mm256_and_si256(kept, is_digit(bytes)), 48);
  const bool is_good = _mm256_movemask_epi8(is_digit(digits)) == -1;
  return store_quotients<8>(_mm256_cvtepi32_pd(join_eights(digits)), summands(moved, minus, last),
                            values) &&
         is_good;
}

/// Two tokens of at most sixteen bytes: their digits, and their descriptions as above.
struct Sixteens {
  __m256i digits;
  __m256i sums;
  bool is_good;
};

inline Sixteens look_at_sixteens(const char* text, const std::uint16_t* ends,
                                 const std::uint16_t* sizes) {
  assert(1 <= sizes[0] && sizes[0] <= 16 && 1 <= sizes[1] && sizes[1] <= 16);
  alignas(32) static constexpr std::array<std::int8_t, 32> kMasks = [] {
    std::array<std::int8_t, 32> masks{};
    for (std::size_t i = 16; i < 32; ++i) masks[i] = -1;
    return masks;
  }();
  const auto load = [](const auto* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  };
  const __m256i text_bytes = _mm256_inserti128_si256(
      _mm256_castsi128_si256(load(text + ends[0] - 16)), load(text + ends[1] - 16), 1);
  const __m256i kept = _mm256_inserti128_si256(
      _mm256_castsi128_si256(load(kMasks.data() + sizes[0])), load(kMasks.data() + sizes[1]), 1);
  const __m256i bytes = _mm256_and_si256(_mm256_sub_epi8(text_bytes, _mm256_set1_epi8('0')), kept);
  const __m256i first = _mm256_andnot_si256(_mm256_slli_si256(kept, 1), kept);
  const __m256i minus =
      _mm256_and_si256(first, _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('-' - '0')));
  const __m256i points = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('.' - '0'));
  const __m256i none = _mm256_cmpeq_epi64(points, _mm256_setzero_si256());  // in each half
  const __m256i no_point = _mm256_and_si256(none, _mm256_shuffle_epi32(none, 0x4E));
  // A point in the low half hides a point in the high half.
  __m256i below = _mm256_andnot_si256(points, _mm256_add_epi64(points, _mm256_set1_epi64x(-1)));
  below = _mm256_and_si256(below, _mm256_unpacklo_epi64(_mm256_set1_epi64x(-1), none));
  const __m256i moved = _mm256_andnot_si256(
      no_point, _mm256_or_si256(_mm256_slli_si256(below, 1), _mm256_setr_epi64x(0xFF, 0, 0xFF, 0)));
  __m256i digits = _mm256_andnot_si256(minus, bytes);
  digits = _mm256_blendv_epi8(digits, _mm256_slli_si256(digits, 1), moved);
  const __m256i last = _mm256_srli_si256(_mm256_and_si256(kept, is_digit(bytes)), 14);
  const __m256i halves = summands(moved, minus, last);
  return {digits, _mm256_add_epi64(halves, _mm256_shuffle_epi32(halves, 0x4E)),
          _mm256_movemask_epi8(is_digit(digits)) == -1};
}

/// Converts four tokens of at most sixteen bytes. Returns false if one is not a plain number.
template <typename T>
inline bool convert_sixteens(const char* text, const std::uint16_t* ends,
                             const std::uint16_t* sizes, T* values) {
  const Sixteens low = look_at_sixteens(text, ends, sizes);
  const Sixteens high = look_at_sixteens(text, ends + 2, sizes + 2);
  const __m256i tens = _mm256_set1_epi16(0x010A);
  const __m256i hundreds = _mm256_set1_epi32(0x0001'0064);
  const __m256i fours =
      _mm256_packus_epi32(_mm256_madd_epi16(_mm256_maddubs_epi16(low.digits, tens), hundreds),
                          _mm256_madd_epi16(_mm256_maddubs_epi16(high.digits, tens), hundreds));
  // Gathers an upper and a lower half of each token: tokens 0 and 2, then 1 and 3.
  const __m256i eights =
      _mm256_permutevar8x32_epi32(_mm256_madd_epi16(fours, _mm256_set1_epi32(0x0001'2710)),
                                  _mm256_setr_epi32(0, 4, 2, 6, 1, 5, 3, 7));
  const __m256d mantissas = _mm256_add_pd(
      _mm256_mul_pd(_mm256_cvtepi32_pd(_mm256_castsi256_si128(eights)), _mm256_set1_pd(1e8)),
      _mm256_cvtepi32_pd(_mm256_extracti128_si256(eights, 1)));
  const __m256i sums = _mm256_permute4x64_epi64(_mm256_unpacklo_epi64(low.sums, high.sums), 0xD8);
  return store_quotients<16>(mantissas, sums, values) && low.is_good && high.is_good;
}

/// Converts eight whole numbers of at most four digits. Returns false, and stores nothing, if a
/// token is not one.
template <typename T>
inline bool convert_fours(const char* text, const std::uint16_t* ends, __m128i sizes, T* values) {
  const auto load = [text](std::uint16_t end) {
    std::int32_t word = 0;
    std::memcpy(&word, text + end - 4, sizeof word);
    return word;
  };
  const __m256i bytes =
      _mm256_setr_epi32(load(ends[0]), load(ends[1]), load(ends[2]), load(ends[3]), load(ends[4]),
                        load(ends[5]), load(ends[6]), load(ends[7]));
  const __m256i shifts =
      _mm256_sub_epi32(_mm256_set1_epi32(32), _mm256_slli_epi32(_mm256_cvtepu16_epi32(sizes), 3));
  const __m256i kept = _mm256_sllv_epi32(_mm256_set1_epi32(-1), shifts);
  const __m256i digits = _mm256_and_si256(_mm256_sub_epi8(bytes, _mm256_set1_epi8('0')), kept);
  if (_mm256_movemask_epi8(is_digit(digits)) != -1) return false;
  const __m256i numbers = _mm256_madd_epi16(_mm256_maddubs_epi16(digits, _mm256_set1_epi16(0x010A)),
                                            _mm256_set1_epi32(0x0001'0064));
  if constexpr (std::is_same_v<T, float>) {
    _mm256_storeu_ps(values, _mm256_cvtepi32_ps(numbers));
  } else {
    _mm256_storeu_pd(values, _mm256_cvtepi32_pd(_mm256_castsi256_si128(numbers)));
    _mm256_storeu_pd(values + 4, _mm256_cvtepi32_pd(_mm256_extracti128_si256(numbers, 1)));
  }
  return true;
}

struct Avx2 {
  static const char* count_until(const char* first, const char* last, char stop, char counted,
                                 std::int64_t& count) {
    for (const char* p = first;; p += 64) {
      const Block block(p);
      const std::uint64_t found = block.equal(counted);
      const std::int64_t ahead =
          std::min<std::int64_t>(std::countr_zero(block.equal(stop)), last - p);
      if (ahead < 64) {
        count += std::popcount(_bzhi_u64(found, static_cast<unsigned>(ahead)));
        return p + ahead;
      }
      count += std::popcount(found);
    }
  }

  static constexpr unsigned kAll = 0xFF;

  /// Finds the tokens of a field, up to its end or until the lists are full.
  template <bool kHasPairs>
  static void find(const char* text, TokenLists& tokens) {
    std::int64_t starts = 0;
    std::int64_t ends = 0;
    std::int64_t colons = 0;
    std::uint64_t before = 1;  // whether the byte before is a blank
    for (std::int64_t offset = 0; offset < kPieceSize; offset += kBlockSize) {
      const Block block(text + offset);
      const std::uint64_t tabs = block.equal('\t');
      const std::uint64_t stops = (block.below_blank() & ~tabs) | block.equal('|');
      std::uint64_t blanks = block.equal(' ') | tabs;
      std::uint64_t looked_at = ~std::uint64_t{0};
      if (stops != 0) {
        looked_at = _blsmsk_u64(stops);
        blanks = (blanks | stops) & looked_at;
      }
      const std::uint64_t behind_blank = (blanks << 1) | before;
      before = blanks >> 63;
      std::uint64_t begin = ~blanks & behind_blank & looked_at;
      if constexpr (kHasPairs) {
        const std::uint64_t of_block = block.equal(':') & looked_at;
        begin &= ~of_block;
        append_offsets(of_block, offset, tokens.colons, colons);
      }
      append_offsets(begin, offset, tokens.starts, starts);
      append_offsets(blanks & ~behind_blank, offset, tokens.ends, ends);
      if (stops != 0) {
        tokens.stop = offset + std::countr_zero(stops);
        break;
      }
    }
    tokens.finish<kHasPairs>(starts, ends, colons);
  }

  static void append(std::uint64_t bits, std::int64_t offset, OffsetList<kBlockSize / 2>& list,
                     std::int64_t& count) {
    append_offsets(bits, offset, list, count);
  }

  static ListBytes list_bytes(const char* p) {
    const Block block(p);
    const std::uint64_t tabs = block.equal('\t');
    return {.blanks = block.equal(' ') | tabs,
            .commas = block.equal(','),
            .stops = (block.below_blank() & ~tabs) | block.equal(']'),
            .digits = block.digits(),
            .zeros = block.equal('0'),
            .minuses = block.equal('-'),
            .points = block.equal('.')};
  }

  /// Converts eight tokens. Returns a mask of the tokens that are not plain numbers, or kAll if any
  /// is not.
  template <typename T>
  static unsigned convert(const char* text, const std::uint16_t* starts, const std::uint16_t* ends,
                          int start_distance, T* values) {
    const __m128i sizes =
        _mm_sub_epi16(sizes_of(starts, ends), _mm_set1_epi16(static_cast<short>(start_distance)));
    // Sizes of zero or less wrap around to large sizes.
    const __m128i less = _mm_sub_epi16(sizes, _mm_set1_epi16(1));
    if (are_at_most(less, 3) && convert_fours(text, ends, sizes, values)) return 0;
    if (are_at_most(less, 7)) {
      const bool low = convert_eights(text, ends, sizes, values);
      const bool high =
          convert_eights(text, ends + 4, _mm_unpackhi_epi64(sizes, sizes), values + 4);
      return low && high ? 0 : kAll;
    }
    if (!are_at_most(less, 15)) return kAll;
    alignas(16) std::array<std::uint16_t, 8> size_list{};
    _mm_store_si128(reinterpret_cast<__m128i*>(size_list.data()), sizes);
    const bool low = convert_sixteens(text, ends, size_list.data(), values);
    const bool high = convert_sixteens(text, ends + 4, size_list.data() + 4, values + 4);
    return low && high ? 0 : kAll;
  }

  /// Converts eight indices below `dim`. Returns a mask of the tokens that are not such indices.
  template <typename Index>
  static unsigned convert_indices(const char* text, const std::uint16_t* starts,
                                  const std::uint16_t* ends, std::int64_t dim, Index* indices) {
    const __m128i sizes = sizes_of(starts, ends);
    if (!are_at_most(_mm_sub_epi16(sizes, _mm_set1_epi16(1)), 7)) return kAll;
    const auto low = load_eights(text, ends, sizes);
    const auto high = load_eights(text, ends + 4, _mm_unpackhi_epi64(sizes, sizes));
    const __m256i joined = _mm256_set_m128i(join_eights(high.digits), join_eights(low.digits));
    if constexpr (sizeof(Index) == 4) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(indices), joined);
    } else {
      auto* const out = reinterpret_cast<__m256i*>(indices);
      _mm256_storeu_si256(out, _mm256_cvtepi32_epi64(_mm256_castsi256_si128(joined)));
      _mm256_storeu_si256(out + 1, _mm256_cvtepi32_epi64(_mm256_extracti128_si256(joined, 1)));
    }
    constexpr std::int64_t kMax = 100'000'000;
    const __m256i limit = _mm256_set1_epi32(static_cast<int>(std::min(dim, kMax)));
    const int too_large = _mm256_movemask_ps(_mm256_castsi256_ps(
        _mm256_xor_si256(_mm256_cmpgt_epi32(limit, joined), _mm256_set1_epi32(-1))));
    const __m256i good = _mm256_and_si256(is_digit(low.digits), is_digit(high.digits));
    return _mm256_movemask_epi8(good) == -1 ? static_cast<unsigned>(too_large) : kAll;
  }

  /// Short numbers need no special case here.
  static bool looks_small(const char* /*p*/) { return false; }
  template <typename T>
  static const char* convert_small(const char* p, ValueField<T>& /*field*/) {
    return p;
  }

 private:
  static __m128i sizes_of(const std::uint16_t* starts, const std::uint16_t* ends) {
    return _mm_sub_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(ends)),
                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(starts)));
  }
  static bool are_at_most(__m128i numbers, short max) {
    const __m128i larger = _mm_subs_epu16(numbers, _mm_set1_epi16(max));
    return _mm_testz_si128(larger, larger) != 0;
  }
};

}  // namespace

const FieldKernels& field_kernels_avx2() noexcept {
  static constexpr FieldKernels kKernels = kernels_of<Avx2>();
  return kKernels;
}

}  // namespace sheaf::internal

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
