#include "format/htk/htk_values.h"

#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "sheaf/extend/simd.h"

#include "base/unaligned.h"

namespace sheaf::htk {
namespace {

using internal::load;

#if defined(__x86_64__)
// Swaps the bytes of words in whole vectors only. Returns the number of swapped words.
__attribute__((target("avx2"))) std::int64_t swap_words_avx2(const std::byte* from, std::byte* to,
                                                             std::int64_t count) noexcept {
  const __m256i order = _mm256_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12,  //
                                         3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
  std::int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const auto* const at = reinterpret_cast<const __m256i*>(from + 4 * i);
    auto* const into = reinterpret_cast<__m256i*>(to + 4 * i);
    const __m256i low = _mm256_shuffle_epi8(_mm256_loadu_si256(at), order);
    const __m256i high = _mm256_shuffle_epi8(_mm256_loadu_si256(at + 1), order);
    _mm256_storeu_si256(into, low);
    _mm256_storeu_si256(into + 1, high);
  }
  return i;
}
#endif

std::uint16_t word_at(const std::byte* at, bool is_big_endian) noexcept {
  const auto word = load<std::uint16_t>(at);
  return is_big_endian ? __builtin_bswap16(word) : word;
}

}  // namespace

void swap_words(const std::byte* from, std::byte* to, std::int64_t count) noexcept {
  std::int64_t i = 0;
#if defined(__x86_64__)
  if (simd_level() >= SimdLevel::avx2) i = swap_words_avx2(from, to, count);
#endif
  for (; i < count; ++i) {
    const std::uint32_t word = __builtin_bswap32(load<std::uint32_t>(from, i));
    std::memcpy(to + 4 * i, &word, sizeof word);
  }
}

void expand_frames(const std::byte* from, std::int64_t frame_count, bool is_big_endian,
                   const Scales& scales, float* to) noexcept {
  const auto dim = static_cast<std::int64_t>(scales.scales.size());
  const float* const scale = scales.scales.data();
  const float* const offset = scales.offsets.data();
  for (std::int64_t t = 0; t < frame_count; ++t) {
    for (std::int64_t k = 0; k < dim; ++k) {
      const auto number = static_cast<std::int16_t>(word_at(from + 2 * k, is_big_endian));
      to[k] = (static_cast<float>(number) + offset[k]) / scale[k];
    }
    from += 2 * dim;
    to += dim;
  }
}

// Each word shifts the sum by 16 bits, modulo a number below 2^16. So three words fit at a time.
void Checksum::add(std::span<const std::byte> bytes) noexcept {
  constexpr std::uint64_t kModulus = 36897;
  const std::byte* at = bytes.data();
  auto left = static_cast<std::int64_t>(bytes.size() / 2);
  for (; left >= 3; left -= 3, at += 6) {
    const std::uint64_t words = std::uint64_t{word_at(at, is_big_endian_)} << 32U |
                                std::uint64_t{word_at(at + 2, is_big_endian_)} << 16U |
                                word_at(at + 4, is_big_endian_);
    sum_ = (sum_ << 48U | words) % kModulus;
  }
  for (; left > 0; --left, at += 2) {
    sum_ = (sum_ << 16U | word_at(at, is_big_endian_)) % kModulus;
  }
}

}  // namespace sheaf::htk
