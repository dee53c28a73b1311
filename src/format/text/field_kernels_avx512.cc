// Kernels for AVX-512 with byte compress and byte popcount (Ice Lake, Zen 4 and later).
//
// A kernel goes through a field twice. First it turns 64 bytes at a time into bit masks, and the
// masks into lists of offsets where tokens start and end. Then it turns eight tokens at a time into
// numbers, without a dependency between one eight and the next, and without branches on the form of
// a token.
//
// The kernel loads the bytes that end where a token ends, and clears the bytes before its start.
// Each digit then has a fixed position, so nothing is counted. Moving up the bytes before the point
// removes the point. The digits join to an integer. The integer and the power of ten are exact as
// doubles, so their quotient is the correctly rounded double (Clinger, 1990). Rounding that double
// again gives the float, unless the double lies in the middle of two floats. Tokens for which it
// might are left to the slow path.

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
#include "format/text/red_zone.h"

#if defined(__clang__)
#pragma clang attribute push(                                                          \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2," \
                          "avx512bitalg,bmi,bmi2,lzcnt,popcnt"))),                     \
    apply_to = function)
#else
#pragma GCC diagnostic ignored "-Wuninitialized"  // in the header of the intrinsics
#pragma GCC target( \
    "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,bmi,bmi2,lzcnt,popcnt")
#endif

#include "format/text/field_flow.h"

namespace sheaf::internal {
namespace {

/// The classes of 64 bytes, with a bit for each byte.
struct Classes {
  std::uint64_t blanks;
  std::uint64_t stops;
  std::uint64_t colons;
};

inline Classes classes_of(__m512i bytes) {
  const std::uint64_t tabs = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\t'));
  return {.blanks = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(' ')) | tabs,
          .stops = (_mm512_cmplt_epu8_mask(bytes, _mm512_set1_epi8(0x20)) & ~tabs) |
                   _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('|')),
          .colons = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(':'))};
}

/// Returns which of 64 bytes are `c`.
inline std::uint64_t equal(__m512i bytes, char c) {
  return _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(c));
}

/// Appends the numbers of the set bits, each plus `offset`. Writes 32 entries at a time.
template <std::int64_t kBlockMax>
inline void append_offsets(std::uint64_t bits, std::int64_t offset, OffsetList<kBlockMax>& list,
                           std::int64_t& count) {
  alignas(64) static constexpr auto kNumbers = [] {
    std::array<std::uint8_t, 64> numbers{};
    for (std::size_t i = 0; i < 64; ++i) numbers[i] = static_cast<std::uint8_t>(i);
    return numbers;
  }();
  const __m512i numbers = _mm512_load_si512(kNumbers.data());
  const __m512i packed = _mm512_maskz_compress_epi8(bits, numbers);
  const __m512i offsets = _mm512_set1_epi16(static_cast<short>(offset));
  const std::int64_t size = std::popcount(bits);
  std::uint16_t* const out = list.append(count, size);
  _mm512_storeu_si512(
      out, _mm512_add_epi16(_mm512_cvtepu8_epi16(_mm512_castsi512_si256(packed)), offsets));
  if constexpr (kBlockMax > 32) {
    if (size > 32) [[unlikely]] {
      const __m256i others = _mm512_extracti64x4_epi64(packed, 1);
      _mm512_storeu_si512(out + 32, _mm512_add_epi16(_mm512_cvtepu8_epi16(others), offsets));
    }
  }
  count += size;
}

/// Returns the powers of ten that scale mantissas by the digits after the point. The point is at
/// position `i` of `kSize`; 0 means no point.
///
/// For float the function returns the inverses. A product is not exact, but much faster here than a
/// quotient.
template <int kSize, typename T>
inline __m512d scales_of(__m512i points) {
  alignas(64) static constexpr auto kScales = [] {
    std::array<double, 16> scales{};
    scales[0] = 1;
    double power = 1;
    for (std::size_t i = kSize < 16 ? kSize : 15; i > 0; --i) {
      if (kSize == 16 || i < kSize) power *= 10;
      scales[i] = std::is_same_v<T, float> ? 1 / power : power;
    }
    return scales;
  }();
  return _mm512_permutex2var_pd(_mm512_load_pd(kScales.data()), points,
                                _mm512_load_pd(kScales.data() + 8));
}

/// Stores eight scaled mantissas with their signs. Returns a mask of the values that may not be
/// rounded correctly. For float these are the values whose dropped bits are about a half: the
/// inverse of a power of ten and the product are each off by at most half a unit in the last place,
/// which makes less than two. The mask also has the whole numbers that a float cannot represent,
/// whose dropped bits are not zero.
template <typename T>
inline unsigned store_scaled(__m512d mantissas, __m512d scales, __mmask8 negative,
                             __mmask8 has_point, T* values) {
  const __m512d minus = _mm512_set1_pd(-0.0);
  const unsigned doubtful = _mm512_cmp_pd_mask(mantissas, _mm512_set1_pd(0x1p53), _CMP_GE_OQ);
  if constexpr (std::is_same_v<T, float>) {
    const __m512d products = _mm512_mul_pd(mantissas, scales);
    const __m512i dropped = _mm512_and_si512(_mm512_castpd_si512(products),
                                             _mm512_set1_epi64((std::int64_t{1} << 29) - 1));
    const __m512i from_half =
        _mm512_sub_epi64(dropped, _mm512_set1_epi64((std::int64_t{1} << 28) - 2));
    _mm256_storeu_ps(values,
                     _mm512_cvtpd_ps(_mm512_mask_xor_pd(products, negative, products, minus)));
    const auto whole = static_cast<__mmask8>(~has_point);
    return doubtful | _mm512_cmple_epu64_mask(from_half, _mm512_set1_epi64(4)) |
           _mm512_mask_test_epi64_mask(whole, dropped, dropped);
  } else {
    const __m512d quotients = _mm512_div_pd(mantissas, scales);
    _mm512_storeu_pd(values, _mm512_mask_xor_pd(quotients, negative, quotients, minus));
    return doubtful;
  }
}

/// Returns which of eight tokens consist of a minus and a point at most.
inline unsigned without_digits(__m128i sizes, __mmask8 negative, __mmask8 has_point) {
  const __m128i one = _mm_set1_epi16(1);
  const __m128i without_minus = _mm_mask_sub_epi16(sizes, negative, sizes, one);
  const __m128i digits = _mm_mask_sub_epi16(without_minus, has_point, without_minus, one);
  return _mm_testn_epi16_mask(digits, digits);
}

/// Returns the eight bytes that end at each of two offsets. In the header of GCC, _mm_load_sd()
/// reads a double, which must be aligned. These intrinsics read bytes at any address.
inline __m128i load_two_eights(const char* text, const std::uint16_t* ends) {
  const auto* const low = reinterpret_cast<const __m128i*>(text + ends[0] - 8);
  const auto* const high = reinterpret_cast<const double*>(text + ends[1] - 8);
  return _mm_castpd_si128(_mm_loadh_pd(_mm_castsi128_pd(_mm_loadl_epi64(low)), high));
}

/// Returns the eight bytes that end at each of eight offsets. A gather takes more than twice as
/// long on Zen 4.
inline __m512i load_eight_eights(const char* text, const std::uint16_t* ends) {
  const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(load_two_eights(text, ends)),
                                              load_two_eights(text, ends + 2), 1);
  const __m256i high = _mm256_inserti128_si256(
      _mm256_castsi128_si256(load_two_eights(text, ends + 4)), load_two_eights(text, ends + 6), 1);
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

/// For each of eight tokens, the eight bytes before its end, less '0'. Bytes before the start of
/// the token are cleared; `kept` marks the others.
struct EightBytes {
  __m512i digits;
  std::uint64_t kept;
};

inline EightBytes load_eights(const char* text, const std::uint16_t* ends, __m128i sizes) {
  const __m512i bytes = load_eight_eights(text, ends);
  const __m512i shifts =
      _mm512_sub_epi64(_mm512_set1_epi64(64), _mm512_slli_epi64(_mm512_cvtepu16_epi64(sizes), 3));
  const std::uint64_t kept = _mm512_movepi8_mask(_mm512_sllv_epi64(_mm512_set1_epi64(-1), shifts));
  return {_mm512_maskz_sub_epi8(kept, bytes, _mm512_set1_epi8('0')), kept};
}

/// Joins eight digits each to integers below 10^8.
inline __m512i join_eights(__m512i digits) {
  const __m512i twos = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(0x010A));
  const __m512i fours = _mm512_madd_epi16(twos, _mm512_set1_epi32(0x0001'0064));
  const __m512i parts = _mm512_madd_epi16(fours, _mm512_set1_epi64(0x0001'0000'2710));
  return _mm512_add_epi64(_mm512_srli_epi64(parts, 32),
                          _mm512_and_si512(parts, _mm512_set1_epi64(0xFFFF'FFFF)));
}

/// Converts tokens of at most eight bytes. Returns a mask of the tokens that are not plain numbers.
template <typename T>
inline unsigned convert_eights(const char* text, const std::uint16_t* ends, __m128i sizes,
                               T* values) {
  const auto [bytes, kept] = load_eights(text, ends, sizes);
  const std::uint64_t others = _mm512_cmpgt_epu8_mask(bytes, _mm512_set1_epi8(9));
  const std::uint64_t first = kept & ~((kept & 0x7F7F'7F7F'7F7F'7F7FU) << 1);
  const std::uint64_t minus =
      first & others & _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('-' - '0'));
  const __m128i points = _mm_cvtsi64_si128(
      static_cast<std::int64_t>(_mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('.' - '0'))));
  // All bits up to the lowest; none if there is no point.
  const __m128i moved =
      _mm_maskz_mov_epi8(_mm_test_epi8_mask(points, points),
                         _mm_xor_si128(points, _mm_add_epi8(points, _mm_set1_epi8(-1))));
  __m512i digits = _mm512_mask_mov_epi8(bytes, minus, _mm512_setzero_si512());
  digits = _mm512_mask_mov_epi8(digits, static_cast<std::uint64_t>(_mm_cvtsi128_si64(moved)),
                                _mm512_slli_epi64(digits, 8));
  const std::uint64_t wrong = _mm512_cmpgt_epu8_mask(digits, _mm512_set1_epi8(9));
  const __m128i minus_bytes = _mm_cvtsi64_si128(static_cast<std::int64_t>(minus));
  const auto negative = static_cast<__mmask8>(_mm_test_epi8_mask(minus_bytes, minus_bytes));
  const auto has_point = static_cast<__mmask8>(_mm_test_epi8_mask(points, points));
  unsigned bad = without_digits(sizes, negative, has_point);
  if (wrong != 0) [[unlikely]] {
    const __m128i wrong_bytes = _mm_cvtsi64_si128(static_cast<std::int64_t>(wrong));
    bad |= _mm_test_epi8_mask(wrong_bytes, wrong_bytes) & 0xFFU;
  }
  bad |= store_scaled(_mm512_cvtepu64_pd(join_eights(digits)),
                      scales_of<8, T>(_mm512_cvtepu8_epi64(_mm_popcnt_epi8(moved))), negative,
                      has_point, values);
  return bad;
}

/// Converts tokens of one byte. Returns a mask of the tokens that are not digits.
template <typename T>
inline unsigned convert_digits(const char* text, const std::uint16_t* ends, T* values) {
  const __m512i bytes = load_eight_eights(text, ends);
  const __m512i digits = _mm512_sub_epi64(_mm512_srli_epi64(bytes, 56), _mm512_set1_epi64('0'));
  if constexpr (std::is_same_v<T, float>) {
    _mm256_storeu_ps(values, _mm512_cvtepi64_ps(digits));
  } else {
    _mm512_storeu_pd(values, _mm512_cvtepi64_pd(digits));
  }
  return _mm512_cmpgt_epu64_mask(digits, _mm512_set1_epi64(9));
}

inline __m256i load_two_sixteens(const char* text, std::uint16_t first, std::uint16_t second) {
  const auto* const low = reinterpret_cast<const __m128i*>(text + first - 16);
  const auto* const high = reinterpret_cast<const __m128i*>(text + second - 16);
  return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(low)),
                                 _mm_loadu_si128(high), 1);
}

/// Returns the sixteen bytes that end at each of four offsets.
inline __m512i load_sixteens(const char* text, const std::uint16_t* ends) {
  const __m256i low = load_two_sixteens(text, ends[0], ends[1]);
  const __m256i high = load_two_sixteens(text, ends[2], ends[3]);
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

inline __m128i masks_of(std::uint64_t low, std::uint64_t high) {
  return _mm_set_epi64x(static_cast<std::int64_t>(high), static_cast<std::int64_t>(low));
}

/// Clears some bytes, and replaces others by the byte before them.
inline __m512i move_up(__m512i bytes, std::int64_t cleared, std::int64_t moved) {
  const __m512i digits =
      _mm512_mask_mov_epi8(bytes, static_cast<std::uint64_t>(cleared), _mm512_setzero_si512());
  return _mm512_mask_mov_epi8(digits, static_cast<std::uint64_t>(moved),
                              _mm512_bslli_epi128(digits, 1));
}

/// Converts tokens of at most sixteen bytes. Returns a mask of the tokens that are not plain
/// numbers.
template <typename T>
inline unsigned convert_sixteens(const char* text, const std::uint16_t* ends, __m128i sizes,
                                 T* values) {
  const __m128i kept = _mm_sllv_epi16(_mm_set1_epi16(-1), _mm_sub_epi16(_mm_set1_epi16(16), sizes));
  const __m128i first = _mm_and_si128(kept, _mm_sub_epi16(_mm_setzero_si128(), kept));
  const auto kept_low = static_cast<std::uint64_t>(_mm_cvtsi128_si64(kept));
  const auto kept_high = static_cast<std::uint64_t>(_mm_extract_epi64(kept, 1));
  const __m512i zero = _mm512_set1_epi8('0');
  const __m512i nine = _mm512_set1_epi8(9);
  const __m512i low = _mm512_maskz_sub_epi8(kept_low, load_sixteens(text, ends), zero);
  const __m512i high = _mm512_maskz_sub_epi8(kept_high, load_sixteens(text, ends + 4), zero);

  const __m512i minus = _mm512_set1_epi8('-' - '0');
  const __m128i negative = _mm_and_si128(
      first, masks_of(_mm512_cmpeq_epi8_mask(low, minus), _mm512_cmpeq_epi8_mask(high, minus)));
  const __m512i point = _mm512_set1_epi8('.' - '0');
  const __m128i points =
      masks_of(_mm512_cmpeq_epi8_mask(low, point), _mm512_cmpeq_epi8_mask(high, point));
  const __m128i moved =
      _mm_maskz_mov_epi16(_mm_test_epi16_mask(points, points),
                          _mm_xor_si128(points, _mm_add_epi16(points, _mm_set1_epi16(-1))));
  const __m512i low_digits = move_up(low, _mm_cvtsi128_si64(negative), _mm_cvtsi128_si64(moved));
  const __m512i high_digits =
      move_up(high, _mm_extract_epi64(negative, 1), _mm_extract_epi64(moved, 1));
  const std::uint64_t wrong_low = _mm512_cmpgt_epu8_mask(low_digits, nine);
  const std::uint64_t wrong_high = _mm512_cmpgt_epu8_mask(high_digits, nine);
  const __mmask8 is_negative = _mm_test_epi16_mask(negative, negative);
  const __mmask8 has_point = _mm_test_epi16_mask(points, points);
  unsigned bad = without_digits(sizes, is_negative, has_point);
  if ((wrong_low | wrong_high) != 0) [[unlikely]] {
    const __m128i wrong = masks_of(wrong_low, wrong_high);
    bad |= _mm_test_epi16_mask(wrong, wrong);
  }

  const __m512i tens = _mm512_set1_epi16(0x010A);
  const __m512i hundreds = _mm512_set1_epi32(0x0001'0064);
  const __m512i low_fours = _mm512_madd_epi16(_mm512_maddubs_epi16(low_digits, tens), hundreds);
  const __m512i high_fours = _mm512_madd_epi16(_mm512_maddubs_epi16(high_digits, tens), hundreds);
  const __m512i eights =
      _mm512_madd_epi16(_mm512_packus_epi32(low_fours, high_fours), _mm512_set1_epi32(0x0001'2710));
  const __m512i mixed = _mm512_add_epi64(_mm512_mul_epu32(eights, _mm512_set1_epi64(100'000'000)),
                                         _mm512_srli_epi64(eights, 32));
  const __m512i mantissas =
      _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), mixed);
  bad |= store_scaled(_mm512_cvtepu64_pd(mantissas),
                      scales_of<16, T>(_mm512_cvtepu16_epi64(_mm_popcnt_epi16(moved))), is_negative,
                      has_point, values);
  return bad;
}

struct Avx512 {
  static const char* count_until(const char* first, const char* last, char stop, char counted,
                                 std::int64_t& count) {
    const __m512i stops = _mm512_set1_epi8(stop);
    const __m512i others = _mm512_set1_epi8(counted);
    for (const char* p = first;; p += 64) {
      const __m512i bytes = _mm512_loadu_si512(p);
      const std::uint64_t found = _mm512_cmpeq_epi8_mask(bytes, others);
      const std::int64_t ahead =
          std::min<std::int64_t>(std::countr_zero(_mm512_cmpeq_epi8_mask(bytes, stops)), last - p);
      if (ahead < 64) {
        count += std::popcount(_bzhi_u64(found, static_cast<unsigned>(ahead)));
        return p + ahead;
      }
      count += std::popcount(found);
    }
  }

  /// Finds the tokens of a field, up to its end or until the lists are full.
  template <bool kHasPairs>
  static void find(const char* text, TokenLists& tokens) {
    std::int64_t starts = 0;
    std::int64_t ends = 0;
    std::int64_t colons = 0;
    std::uint64_t before = 1;  // whether the byte before is a blank
    for (std::int64_t offset = 0; offset < kPieceSize; offset += kBlockSize) {
      Classes of = classes_of(_mm512_loadu_si512(text + offset));
      std::uint64_t looked_at = ~std::uint64_t{0};
      if (of.stops != 0) {
        looked_at = _blsmsk_u64(of.stops);
        of.blanks = (of.blanks | of.stops) & looked_at;
        of.colons &= looked_at;
      }
      const std::uint64_t behind_blank = (of.blanks << 1) | before;
      before = of.blanks >> 63;
      if constexpr (kHasPairs) {
        append_offsets(~of.blanks & ~of.colons & behind_blank & looked_at, offset, tokens.starts,
                       starts);
        append_offsets(of.colons, offset, tokens.colons, colons);
      } else {
        append_offsets(~of.blanks & behind_blank & looked_at, offset, tokens.starts, starts);
      }
      append_offsets(of.blanks & ~behind_blank, offset, tokens.ends, ends);
      if (of.stops != 0) {
        tokens.stop = offset + std::countr_zero(of.stops);
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
    const __m512i bytes = _mm512_loadu_si512(p);
    const std::uint64_t tabs = equal(bytes, '\t');
    const __m512i digits = _mm512_sub_epi8(bytes, _mm512_set1_epi8('0'));
    return {.blanks = equal(bytes, ' ') | tabs,
            .commas = equal(bytes, ','),
            .stops =
                (_mm512_cmplt_epu8_mask(bytes, _mm512_set1_epi8(0x20)) & ~tabs) | equal(bytes, ']'),
            .digits = _mm512_cmple_epu8_mask(digits, _mm512_set1_epi8(9)),
            .zeros = equal(bytes, '0'),
            .minuses = equal(bytes, '-'),
            .points = equal(bytes, '.')};
  }

  /// Converts eight tokens. Returns a mask of the tokens that are not plain numbers.
  template <typename T>
  static unsigned convert(const char* text, const std::uint16_t* starts, const std::uint16_t* ends,
                          int start_distance, T* values) {
    const __m128i ends_8 = _mm_loadu_si128(reinterpret_cast<const __m128i*>(ends));
    const __m128i starts_8 = _mm_loadu_si128(reinterpret_cast<const __m128i*>(starts));
    const __m128i sizes = _mm_sub_epi16(_mm_sub_epi16(ends_8, starts_8),
                                        _mm_set1_epi16(static_cast<short>(start_distance)));
    // Sizes of zero or less wrap around to large sizes.
    const __m128i less = _mm_sub_epi16(sizes, _mm_set1_epi16(1));
    if (_mm_test_epi16_mask(less, less) == 0) return convert_digits(text, ends, values);
    if (_mm_cmpgt_epu16_mask(less, _mm_set1_epi16(7)) == 0) {
      return convert_eights(text, ends, sizes, values);
    }
    const unsigned long_ones = _mm_cmpgt_epu16_mask(less, _mm_set1_epi16(15));
    return long_ones | convert_sixteens(text, ends, sizes, values);
  }

  /// Converts eight indices below `dim`. Returns a mask of the tokens that are not such indices.
  template <typename Index>
  static unsigned convert_indices(const char* text, const std::uint16_t* starts,
                                  const std::uint16_t* ends, std::int64_t dim, Index* indices) {
    const __m128i ends_8 = _mm_loadu_si128(reinterpret_cast<const __m128i*>(ends));
    const __m128i sizes =
        _mm_sub_epi16(ends_8, _mm_loadu_si128(reinterpret_cast<const __m128i*>(starts)));
    const auto [digits, kept] = load_eights(text, ends, sizes);
    const std::uint64_t wrong = _mm512_cmpgt_epu8_mask(digits, _mm512_set1_epi8(9));
    const __m128i wrong_bytes = _mm_cvtsi64_si128(static_cast<std::int64_t>(wrong));
    const __m512i joined = join_eights(digits);
    if constexpr (sizeof(Index) == 4) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(indices), _mm512_cvtepi64_epi32(joined));
    } else {
      _mm512_storeu_si512(indices, joined);
    }
    return (_mm_test_epi8_mask(wrong_bytes, wrong_bytes) & 0xFFU) |
           _mm_cmpgt_epu16_mask(_mm_sub_epi16(sizes, _mm_set1_epi16(1)), _mm_set1_epi16(7)) |
           _mm512_cmpge_epi64_mask(joined, _mm512_set1_epi64(dim));
  }

  /// Returns whether a field begins with numbers short enough for convert_small() to pay off.
  static bool looks_small(const char* p) {
    return std::popcount(classes_of(_mm512_loadu_si512(p)).blanks) >= 16;
  }

  /// Converts whole numbers of one to three digits, 64 bytes at a time, while there is room for 32
  /// more.
  template <typename T>
  static const char* convert_small(const char* p, ValueField<T>& field);
};

inline void store_small(__m256i numbers, float* values) {
  _mm512_storeu_ps(values, _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(numbers)));
}
inline void store_small(__m256i numbers, double* values) {
  const __m512i wide = _mm512_cvtepu16_epi32(numbers);
  _mm512_storeu_pd(values, _mm512_cvtepi32_pd(_mm512_castsi512_si256(wide)));
  _mm512_storeu_pd(values + 8, _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(wide, 1)));
}

template <typename T>
const char* Avx512::convert_small(const char* p, ValueField<T>& field) {
  const __m512i zero = _mm512_set1_epi8('0');
  const __m512i tens = _mm512_broadcast_i32x4(
      _mm_setr_epi8(0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 0, 0, 0, 0, 0, 0));
  std::uint64_t before = ~std::uint64_t{0};  // the blanks among the previous 64 bytes
  while (field.limit - field.count >= 32) {
    const __m512i bytes = _mm512_loadu_si512(p);
    Classes of = classes_of(bytes);
    std::uint64_t looked_at = ~std::uint64_t{0};
    if (of.stops != 0) {
      looked_at = _blsmsk_u64(of.stops);
      of.blanks = (of.blanks | of.stops) & looked_at;
    }
    // The bytes that follow a blank by one, two and three bytes.
    const std::uint64_t behind_1 = (of.blanks << 1) | (before >> 63);
    const std::uint64_t behind_2 = (of.blanks << 2) | (before >> 62);
    const std::uint64_t behind_3 = (of.blanks << 3) | (before >> 61);
    const std::uint64_t ends = of.blanks & ~behind_1;
    // The fourth byte of a token ends the loop in the block of that byte. So at most three bytes of
    // a token are left over from earlier blocks.
    const std::uint64_t fourth = ~(behind_1 | behind_2 | behind_3);
    const std::uint64_t others =
        _mm512_cmpgt_epu8_mask(_mm512_sub_epi8(bytes, zero), _mm512_set1_epi8(9));
    if ((looked_at & ~of.blanks & (fourth | others)) != 0) break;
    assert(std::popcount(ends) <= 32);  // a digit stands before each
    const __m256i ones = _mm512_castsi512_si256(
        _mm512_maskz_compress_epi8(ends, _mm512_sub_epi8(_mm512_loadu_si512(p - 1), zero)));
    const __m256i second = _mm512_castsi512_si256(_mm512_maskz_compress_epi8(
        ends, _mm512_maskz_sub_epi8(~behind_2, _mm512_loadu_si512(p - 2), zero)));
    const __m256i third = _mm512_castsi512_si256(_mm512_maskz_compress_epi8(
        ends, _mm512_maskz_sub_epi8(~(behind_2 | behind_3), _mm512_loadu_si512(p - 3), zero)));
    const __m256i below_100 =
        _mm256_add_epi8(ones, _mm256_shuffle_epi8(_mm512_castsi512_si256(tens), second));
    const __m512i numbers =
        _mm512_add_epi16(_mm512_cvtepu8_epi16(below_100),
                         _mm512_mullo_epi16(_mm512_cvtepu8_epi16(third), _mm512_set1_epi16(100)));
    T* const values = field.values + field.count;
    store_small(_mm512_castsi512_si256(numbers), values);
    store_small(_mm512_extracti64x4_epi64(numbers, 1), values + 16);
    field.count += std::popcount(ends);
    if (of.stops != 0) return p + std::countr_zero(of.stops);
    before = of.blanks;
    p += 64;
  }
  assert(std::countl_zero(before) <= 3);
  return p - std::countl_zero(before);  // the start of the unfinished token
}

}  // namespace

const FieldKernels& field_kernels_avx512() noexcept {
  static constexpr FieldKernels kKernels = kernels_of<Avx512>();
  return kKernels;
}

}  // namespace sheaf::internal

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
