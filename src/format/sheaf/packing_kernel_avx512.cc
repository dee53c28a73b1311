// The packing kernel for AVX-512, which handles eight numbers at once.

#include "format/sheaf/packing_kernel.h"

#if defined(__x86_64__)

#include <array>
#include <cstdlib>
#include <cstring>

#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,avx512vbmi"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq,avx512vl,avx512bw,avx512vbmi")
#pragma GCC diagnostic ignored "-Wuninitialized"  // in the header of the intrinsics
#endif

#define XXH_INLINE_ALL
#define XXH_VECTOR 3  // AVX-512
#include <xxhash.h>

namespace sheaf::container {
namespace {

// Eight numbers of at most 57 bits lie within 64 bytes. So a permutation of bytes can move each
// number to its lane.
void unpack_avx512(const PackedBits& packed, std::uint64_t* into) noexcept {
  const std::size_t width = packed.width;
  std::array<std::uint8_t, 64> bytes{};
  std::array<std::uint64_t, 8> shifts{};
  for (std::size_t k = 0; k < 8; ++k) {
    shifts[k] = k * width % 8;
    for (std::size_t i = 0; i < 8; ++i) {
      bytes[8 * k + i] = static_cast<std::uint8_t>(k * width / 8 + i);
    }
  }
  const __m512i offsets = _mm512_loadu_si512(bytes.data());
  const __m512i shift_lanes = _mm512_loadu_si512(shifts.data());
  const __m512i mask = _mm512_set1_epi64((1LL << width) - 1);
  const __m512i base = _mm512_set1_epi64(static_cast<long long>(packed.base));
  const std::byte* at = packed.bits;
  for (std::int64_t i = 0; i < packed.count; i += 8, at += width) {
    const __m512i words = _mm512_permutexvar_epi8(offsets, _mm512_loadu_si512(at));
    const __m512i numbers = _mm512_and_si512(_mm512_srlv_epi64(words, shift_lanes), mask);
    _mm512_storeu_si512(into + i, _mm512_add_epi64(base, numbers));
  }
}

__m512d quotients(const std::uint64_t* integers, __m512d power) noexcept {
  return _mm512_div_pd(_mm512_cvtepi64_pd(_mm512_loadu_si512(integers)), power);
}

void divide_f32_avx512(const std::uint64_t* integers, std::int64_t count, double power,
                       float* into) noexcept {
  const __m512d divisor = _mm512_set1_pd(power);
  std::int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    _mm256_storeu_ps(into + i, _mm512_cvtpd_ps(quotients(integers + i, divisor)));
  }
  for (; i < count; ++i) {
    into[i] =
        static_cast<float>(static_cast<double>(static_cast<std::int64_t>(integers[i])) / power);
  }
}

void divide_f64_avx512(const std::uint64_t* integers, std::int64_t count, double power,
                       double* into) noexcept {
  const __m512d divisor = _mm512_set1_pd(power);
  std::int64_t i = 0;
  for (; i + 8 <= count; i += 8) _mm512_storeu_pd(into + i, quotients(integers + i, divisor));
  for (; i < count; ++i) {
    into[i] = static_cast<double>(static_cast<std::int64_t>(integers[i])) / power;
  }
}

// Products of values and a power, as integers in doubles and as plain integers.
struct Products {
  __m512d integers;
  __m512i bits;
  __mmask8 are_small;  // below 2^51
};

Products products(__m512d values, __m512d power) noexcept {
  const __m512d rounder = _mm512_set1_pd(kRounder);
  const __m512d sum = _mm512_add_pd(_mm512_mul_pd(values, power), rounder);
  const __m512d integers = _mm512_sub_pd(sum, rounder);
  return {integers, _mm512_sub_epi64(_mm512_castpd_si512(sum), _mm512_castpd_si512(rounder)),
          _mm512_cmp_pd_mask(_mm512_abs_pd(integers), _mm512_set1_pd(kIntegerMax), _CMP_LT_OQ)};
}

std::int64_t multiply_f32_avx512(const float* values, std::int64_t count, double power,
                                 std::uint64_t* integers, std::uint8_t* are_others) noexcept {
  const __m512d factor = _mm512_set1_pd(power);
  std::int64_t other_count = 0;
  for (std::int64_t i = 0; i < count; i += 8) {
    const auto lanes = static_cast<__mmask8>(count - i >= 8 ? 0xFF : (1 << (count - i)) - 1);
    const __m256 given = _mm256_maskz_loadu_ps(lanes, values + i);
    const Products made = products(_mm512_cvtps_pd(given), factor);
    _mm512_mask_storeu_epi64(integers + i, lanes, made.bits);
    const __m256 back = _mm512_cvtpd_ps(_mm512_div_pd(made.integers, factor));
    const __mmask8 same =
        _mm256_cmpeq_epi32_mask(_mm256_castps_si256(back), _mm256_castps_si256(given));
    const auto others = static_cast<__mmask8>(~(same & made.are_small) & lanes);
    _mm_mask_storeu_epi8(are_others + i, lanes, _mm_maskz_set1_epi8(others, 1));
    other_count += __builtin_popcount(others);
  }
  return other_count;
}

std::int64_t multiply_f64_avx512(const double* values, std::int64_t count, double power,
                                 std::uint64_t* integers, std::uint8_t* are_others) noexcept {
  const __m512d factor = _mm512_set1_pd(power);
  std::int64_t other_count = 0;
  for (std::int64_t i = 0; i < count; i += 8) {
    const auto lanes = static_cast<__mmask8>(count - i >= 8 ? 0xFF : (1 << (count - i)) - 1);
    const __m512d given = _mm512_maskz_loadu_pd(lanes, values + i);
    const Products made = products(given, factor);
    _mm512_mask_storeu_epi64(integers + i, lanes, made.bits);
    const __m512d back = _mm512_div_pd(made.integers, factor);
    const __mmask8 same =
        _mm512_cmpeq_epi64_mask(_mm512_castpd_si512(back), _mm512_castpd_si512(given));
    const auto others = static_cast<__mmask8>(~(same & made.are_small) & lanes);
    _mm_mask_storeu_epi8(are_others + i, lanes, _mm_maskz_set1_epi8(others, 1));
    other_count += __builtin_popcount(others);
  }
  return other_count;
}

std::uint64_t hash_avx512(const void* bytes, std::size_t size) noexcept {
  return XXH3_64bits(bytes, size);
}

}  // namespace

const PackingKernel& packing_kernel_avx512() noexcept {
  static constexpr PackingKernel kKernel = {.unpack = unpack_avx512,
                                            .divide_f32 = divide_f32_avx512,
                                            .divide_f64 = divide_f64_avx512,
                                            .multiply_f32 = multiply_f32_avx512,
                                            .multiply_f64 = multiply_f64_avx512,
                                            .hash = hash_avx512};
  return kKernel;
}

}  // namespace sheaf::container

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
