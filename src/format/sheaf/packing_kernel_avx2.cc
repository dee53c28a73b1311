// The packing kernel for AVX2, which handles four numbers at once.

#include "format/sheaf/packing_kernel.h"

#if defined(__x86_64__)

#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif

#define XXH_INLINE_ALL
#define XXH_VECTOR 2  // AVX2
#include <xxhash.h>

namespace sheaf::container {
namespace {

void unpack_avx2(const PackedBits& packed, std::uint64_t* into) noexcept {
  const auto width = static_cast<long long>(packed.width);
  std::array<long long, 8> offsets{};
  std::array<long long, 8> shifts{};
  for (std::size_t k = 0; k < 8; ++k) {
    offsets[k] = static_cast<long long>(k) * width / 8;
    shifts[k] = static_cast<long long>(k) * width % 8;
  }
  const auto* const offset_lanes = reinterpret_cast<const __m256i*>(offsets.data());
  const auto* const shift_lanes = reinterpret_cast<const __m256i*>(shifts.data());
  const __m256i mask = _mm256_set1_epi64x((1LL << width) - 1);
  const __m256i base = _mm256_set1_epi64x(static_cast<long long>(packed.base));
  const std::byte* at = packed.bits;
  for (std::int64_t i = 0; i < packed.count; i += 8, at += width) {
    for (int half = 0; half < 2; ++half) {
      const __m256i words = _mm256_i64gather_epi64(reinterpret_cast<const long long*>(at),
                                                   _mm256_loadu_si256(offset_lanes + half), 1);
      const __m256i numbers =
          _mm256_and_si256(_mm256_srlv_epi64(words, _mm256_loadu_si256(shift_lanes + half)), mask);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(into + i) + half,
                          _mm256_add_epi64(base, numbers));
    }
  }
}

// Returns four quotients of integers below 2^51.
__m256d quotients(const std::uint64_t* integers, __m256d power) noexcept {
  const __m256d rounder = _mm256_set1_pd(kRounder);
  const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(integers));
  const __m256d sum = _mm256_castsi256_pd(_mm256_add_epi64(bits, _mm256_castpd_si256(rounder)));
  return _mm256_div_pd(_mm256_sub_pd(sum, rounder), power);
}

void divide_f32_avx2(const std::uint64_t* integers, std::int64_t count, double power,
                     float* into) noexcept {
  const __m256d divisor = _mm256_set1_pd(power);
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    _mm_storeu_ps(into + i, _mm256_cvtpd_ps(quotients(integers + i, divisor)));
  }
  for (; i < count; ++i) {
    into[i] =
        static_cast<float>(static_cast<double>(static_cast<std::int64_t>(integers[i])) / power);
  }
}

void divide_f64_avx2(const std::uint64_t* integers, std::int64_t count, double power,
                     double* into) noexcept {
  const __m256d divisor = _mm256_set1_pd(power);
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) _mm256_storeu_pd(into + i, quotients(integers + i, divisor));
  for (; i < count; ++i) {
    into[i] = static_cast<double>(static_cast<std::int64_t>(integers[i])) / power;
  }
}

// Products of values and a power, as integers in doubles and as plain integers.
struct Products {
  __m256d integers;
  __m256i bits;
  __m256d are_small;  // below 2^51
};

Products products(__m256d values, __m256d power) noexcept {
  const __m256d rounder = _mm256_set1_pd(kRounder);
  const __m256d sum = _mm256_add_pd(_mm256_mul_pd(values, power), rounder);
  const __m256d integers = _mm256_sub_pd(sum, rounder);
  const __m256d size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), integers);
  return {integers, _mm256_sub_epi64(_mm256_castpd_si256(sum), _mm256_castpd_si256(rounder)),
          _mm256_cmp_pd(size, _mm256_set1_pd(kIntegerMax), _CMP_LT_OQ)};
}

// Writes which of four values differ, given a mask of the equal values.
std::int64_t put_others(int equal, std::uint8_t* are_others) noexcept {
  for (int k = 0; k < 4; ++k) are_others[k] = static_cast<std::uint8_t>(((equal >> k) & 1) ^ 1);
  return 4 - __builtin_popcount(static_cast<unsigned>(equal));
}

template <typename T>
std::int64_t multiply_rest(const T* values, std::int64_t count, double power,
                           std::uint64_t* integers, std::uint8_t* are_others) noexcept {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  std::int64_t other_count = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double sum = static_cast<double>(values[i]) * power + kRounder;
    const double integer = sum - kRounder;
    const T back = static_cast<T>(integer / power);
    integers[i] = std::bit_cast<std::uint64_t>(sum) - std::bit_cast<std::uint64_t>(kRounder);
    const bool is_same = std::bit_cast<Bits>(back) == std::bit_cast<Bits>(values[i]) &&
                         integer < kIntegerMax && integer > -kIntegerMax;
    are_others[i] = is_same ? 0 : 1;
    other_count += is_same ? 0 : 1;
  }
  return other_count;
}

std::int64_t multiply_f32_avx2(const float* values, std::int64_t count, double power,
                               std::uint64_t* integers, std::uint8_t* are_others) noexcept {
  const __m256d factor = _mm256_set1_pd(power);
  std::int64_t other_count = 0;
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const __m128 given = _mm_loadu_ps(values + i);
    const Products made = products(_mm256_cvtps_pd(given), factor);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(integers + i), made.bits);
    const __m128 back = _mm256_cvtpd_ps(_mm256_div_pd(made.integers, factor));
    const int same = _mm_movemask_ps(
        _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_castps_si128(back), _mm_castps_si128(given))));
    other_count += put_others(same & _mm256_movemask_pd(made.are_small), are_others + i);
  }
  return other_count + multiply_rest(values + i, count - i, power, integers + i, are_others + i);
}

std::int64_t multiply_f64_avx2(const double* values, std::int64_t count, double power,
                               std::uint64_t* integers, std::uint8_t* are_others) noexcept {
  const __m256d factor = _mm256_set1_pd(power);
  std::int64_t other_count = 0;
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const __m256d given = _mm256_loadu_pd(values + i);
    const Products made = products(given, factor);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(integers + i), made.bits);
    const __m256d back = _mm256_div_pd(made.integers, factor);
    const int same = _mm256_movemask_pd(_mm256_castsi256_pd(
        _mm256_cmpeq_epi64(_mm256_castpd_si256(back), _mm256_castpd_si256(given))));
    other_count += put_others(same & _mm256_movemask_pd(made.are_small), are_others + i);
  }
  return other_count + multiply_rest(values + i, count - i, power, integers + i, are_others + i);
}

std::uint64_t hash_avx2(const void* bytes, std::size_t size) noexcept {
  return XXH3_64bits(bytes, size);
}

}  // namespace

const PackingKernel& packing_kernel_avx2() noexcept {
  static constexpr PackingKernel kKernel = {.unpack = unpack_avx2,
                                            .divide_f32 = divide_f32_avx2,
                                            .divide_f64 = divide_f64_avx2,
                                            .multiply_f32 = multiply_f32_avx2,
                                            .multiply_f64 = multiply_f64_avx2,
                                            .hash = hash_avx2};
  return kKernel;
}

}  // namespace sheaf::container

#if defined(__clang__)
#pragma clang attribute pop
#endif

#endif
