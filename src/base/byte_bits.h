// Finds bytes in blocks of 64.

#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/text_scan.h"

namespace sheaf::internal {

/// Returns how many bits are set. std::popcount() would be a function call on targets without the
/// popcnt instruction.
[[nodiscard]] constexpr std::int64_t count_bits(std::uint64_t bits) noexcept {
  bits -= (bits >> 1) & (kEachByte * 0x55);
  bits = (bits & (kEachByte * 0x33)) + ((bits >> 2) & (kEachByte * 0x33));
  bits = (bits + (bits >> 4)) & (kEachByte * 0x0F);
  return static_cast<std::int64_t>((bits * kEachByte) >> 56);
}

/// 64 bytes of a text. Bit i of an answer stands for byte i.
///
/// Lifetime: the text must outlive the object.
class ByteBits {
 public:
  /// Pre: 64 bytes at `p` may be read.
  explicit ByteBits(const char* p) noexcept : p_(p) {}

  /// Returns which bytes are `c`.
  [[nodiscard]] std::uint64_t equal(char c) const noexcept {
#if defined(__SSE2__)
    const __m128i wanted = _mm_set1_epi8(c);
    return each_part([wanted](__m128i part) { return _mm_cmpeq_epi8(part, wanted); });
#else
    return each_word([c](std::uint64_t word) { return bytes_equal(word, c); });
#endif
  }

  /// Returns which bytes are at most a blank, as unsigned numbers: blanks, line ends and other
  /// control bytes.
  [[nodiscard]] std::uint64_t at_most_blank() const noexcept {
#if defined(__SSE2__)
    const __m128i blank = _mm_set1_epi8(' ');
    return each_part(
        [blank](__m128i part) { return _mm_cmpeq_epi8(_mm_min_epu8(part, blank), part); });
#else
    return each_word([](std::uint64_t word) {
      constexpr std::uint64_t kLow = kEachByte * 0x7F;
      return ~(((word & kLow) + kEachByte * (0x7F - ' ')) | word | kLow);
    });
#endif
  }

 private:
#if defined(__SSE2__)
  template <typename Compare>
  [[nodiscard]] std::uint64_t each_part(const Compare& compare) const noexcept {
    std::uint64_t bits = 0;
    for (std::ptrdiff_t i = 0; i < 4; ++i) {
      const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p_ + 16 * i));
      const auto found = static_cast<unsigned>(_mm_movemask_epi8(compare(part)));
      bits |= std::uint64_t{found} << (16 * i);
    }
    return bits;
  }
#else
  // The marks of a word are its highest bits. One multiplication collects them.
  template <typename Mark>
  [[nodiscard]] std::uint64_t each_word(const Mark& mark) const noexcept {
    std::uint64_t bits = 0;
    for (std::ptrdiff_t i = 0; i < 8; ++i) {
      const std::uint64_t marks = mark(load_word(p_ + 8 * i)) >> 7;
      bits |= ((marks * 0x0102040810204080U) >> 56) << (8 * i);
    }
    return bits;
  }
#endif

  const char* p_;
};

}  // namespace sheaf::internal
