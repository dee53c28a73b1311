#include "transform/image_mirror.h"

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "sheaf/extend/simd.h"

namespace sheaf::internal {
namespace {

/// Mirrors pixels of `pixel_size` bytes, beginning with the last one. If the compiler knows the
/// size, it copies a pixel with a single move.
template <typename Size>
void mirror_row(const std::byte* from, std::int64_t width, Size pixel_size,
                std::byte* to) noexcept {
  const auto step = static_cast<std::int64_t>(static_cast<std::size_t>(pixel_size));
  const std::byte* source = from + (width - 1) * step;
  for (std::int64_t x = 0; x < width; ++x, source -= step, to += step) {
    std::memcpy(to, source, pixel_size);
  }
}

using ThreeBytes = std::integral_constant<std::size_t, 3>;

#if defined(__x86_64__)
/// Mirrors pixels of three bytes, five at a time. A load and a store each touch one byte more,
/// which the next pixels overwrite. So the last pixels are mirrored one by one.
__attribute__((target("avx2"))) void mirror_row_avx2(const std::byte* from, std::int64_t width,
                                                     std::byte* to) noexcept {
  constexpr std::int64_t kPixels = 5;
  const __m128i turned = _mm_setr_epi8(13, 14, 15, 10, 11, 12, 7, 8, 9, 4, 5, 6, 1, 2, 3, 0);
  std::int64_t rest = width;
  for (; rest > kPixels; rest -= kPixels, to += 3 * kPixels) {
    const std::byte* const source = from + 3 * (rest - kPixels) - 1;
    const __m128i pixels = _mm_loadu_si128(reinterpret_cast<const __m128i*>(source));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_shuffle_epi8(pixels, turned));
  }
  mirror_row(from, rest, ThreeBytes(), to);
}
#endif

void mirror_three_bytes(const std::byte* from, std::int64_t width, std::byte* to) noexcept {
#if defined(__x86_64__)
  if (simd_level() >= SimdLevel::avx2) return mirror_row_avx2(from, width, to);
#endif
  mirror_row(from, width, ThreeBytes(), to);
}

}  // namespace

void mirror_pixels(const AnyPixels& from, bool is_vertical, const AnyPixels& to) noexcept {
  assert(from.width == to.width && from.height == to.height && from.channels == to.channels);
  const auto pixel_size = static_cast<std::size_t>(from.channels * element_size(from.type));
  for (std::int64_t y = 0; y < from.height; ++y) {
    if (is_vertical) {
      std::memcpy(to.row(y), from.row(from.height - 1 - y),
                  static_cast<std::size_t>(from.width) * pixel_size);
    } else if (pixel_size == ThreeBytes::value) {
      mirror_three_bytes(from.row(y), from.width, to.row(y));
    } else {
      mirror_row(from.row(y), from.width, pixel_size, to.row(y));
    }
  }
}

}  // namespace sheaf::internal
