// Splits images into planes, one for each channel.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "sheaf/extend/simd.h"

#include "transform/image_options.h"
#include "transform/image_pipeline.h"
#include "transform/types.h"

namespace sheaf::internal {
namespace {

#if defined(__x86_64__)
/// Splits a row of at least 16 pixels of three bytes into three rows, 16 pixels at a time. The last
/// 16 pixels overlap the pixels before.
__attribute__((target("avx2"))) void split_row_avx2(const std::uint8_t* from, std::int64_t width,
                                                    std::uint8_t* const (&to)[3]) noexcept {
  constexpr std::int64_t kPixels = 16;
  constexpr char kNone = -128;
  // The bytes of the first, second and third 16 bytes that belong to channel 0. The bytes of
  // channel c are c bytes farther on.
  const __m128i shuffles[3][3] = {{_mm_setr_epi8(0, 3, 6, 9, 12, 15, kNone, kNone, kNone, kNone,
                                                 kNone, kNone, kNone, kNone, kNone, kNone),
                                   _mm_setr_epi8(kNone, kNone, kNone, kNone, kNone, kNone, 2, 5, 8,
                                                 11, 14, kNone, kNone, kNone, kNone, kNone),
                                   _mm_setr_epi8(kNone, kNone, kNone, kNone, kNone, kNone, kNone,
                                                 kNone, kNone, kNone, kNone, 1, 4, 7, 10, 13)},
                                  {_mm_setr_epi8(1, 4, 7, 10, 13, kNone, kNone, kNone, kNone, kNone,
                                                 kNone, kNone, kNone, kNone, kNone, kNone),
                                   _mm_setr_epi8(kNone, kNone, kNone, kNone, kNone, 0, 3, 6, 9, 12,
                                                 15, kNone, kNone, kNone, kNone, kNone),
                                   _mm_setr_epi8(kNone, kNone, kNone, kNone, kNone, kNone, kNone,
                                                 kNone, kNone, kNone, kNone, 2, 5, 8, 11, 14)},
                                  {_mm_setr_epi8(2, 5, 8, 11, 14, kNone, kNone, kNone, kNone, kNone,
                                                 kNone, kNone, kNone, kNone, kNone, kNone),
                                   _mm_setr_epi8(kNone, kNone, kNone, kNone, kNone, 1, 4, 7, 10, 13,
                                                 kNone, kNone, kNone, kNone, kNone, kNone),
                                   _mm_setr_epi8(kNone, kNone, kNone, kNone, kNone, kNone, kNone,
                                                 kNone, kNone, kNone, 0, 3, 6, 9, 12, 15)}};
  for (std::int64_t next = 0; next < width; next += kPixels) {
    const std::int64_t x = std::min(next, width - kPixels);
    const auto* const source = reinterpret_cast<const __m128i*>(from + 3 * x);
    const __m128i a = _mm_loadu_si128(source);
    const __m128i b = _mm_loadu_si128(source + 1);
    const __m128i c = _mm_loadu_si128(source + 2);
    for (int channel = 0; channel < 3; ++channel) {
      const __m128i* const shuffle = shuffles[channel];
      const __m128i two =
          _mm_or_si128(_mm_shuffle_epi8(a, shuffle[0]), _mm_shuffle_epi8(b, shuffle[1]));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to[channel] + x),
                       _mm_or_si128(two, _mm_shuffle_epi8(c, shuffle[2])));
    }
  }
}
#endif

/// Splits pixels of three bytes with vector instructions. Returns false if the machine has none, or
/// if the rows of pixels are too short.
bool split_three_bytes(const AnyPixels& from, const AnyPixels& to) {
#if defined(__x86_64__)
  if (from.channels == 3 && from.width >= 16 && simd_level() >= SimdLevel::avx2) {
    const std::int64_t plane = from.width * from.height;
    auto* out = reinterpret_cast<std::uint8_t*>(to.values);
    for (std::int64_t y = 0; y < from.height; ++y, out += from.width) {
      split_row_avx2(reinterpret_cast<const std::uint8_t*>(from.row(y)), from.width,
                     {out, out + plane, out + 2 * plane});
    }
    return true;
  }
#else
  static_cast<void>(from);
  static_cast<void>(to);
#endif
  return false;
}

template <typename Value>
void to_planes(const AnyPixels& from, const AnyPixels& to) {
  auto* out = reinterpret_cast<Value*>(to.values);
  for (std::int64_t c = 0; c < from.channels; ++c) {
    for (std::int64_t y = 0; y < from.height; ++y) {
      const auto* source = reinterpret_cast<const Value*>(from.row(y)) + c;
      for (std::int64_t x = 0; x < from.width; ++x, source += from.channels) *out++ = *source;
    }
  }
}

class Transpose final : public ImageOperation {
 public:
  [[nodiscard]] std::string_view name() const noexcept override {
    return transpose_transform().name;
  }
  [[nodiscard]] std::string options() const override { return ""; }
  [[nodiscard]] bool makes_planes() const noexcept override { return true; }

  [[nodiscard]] ImageForm form_after(const ImageForm& from, const Stream& stream) const override {
    static_cast<void>(stream);
    return most_after(from);
  }
  [[nodiscard]] ImageForm most_after(const ImageForm& most) const override {
    ImageForm made = most;
    made.has_planes = true;
    return made;
  }

  void plan(const ImageForm& form, double number, ImageDraws& draws,
            std::vector<ImageStep>& steps) const override {
    static_cast<void>(number);
    static_cast<void>(draws);
    steps.push_back({.made = most_after(form), .operation = this});
  }

  void apply(const ImageStep& step, const AnyPixels& from, const AnyPixels& to) const override {
    static_cast<void>(step);
    switch (element_size(from.type)) {
      case sizeof(std::uint8_t):
        if (split_three_bytes(from, to)) return;
        return to_planes<std::uint8_t>(from, to);
      case sizeof(std::uint16_t):
        return to_planes<std::uint16_t>(from, to);
      case sizeof(std::uint32_t):
        return to_planes<std::uint32_t>(from, to);
      default:
        return to_planes<std::uint64_t>(from, to);
    }
  }
};

}  // namespace

const TransformType& transpose_transform() noexcept {
  static constexpr TransformType kType = {
      .name = "transpose",
      .description = "images of [C, H, W] in place of [H, W, C]",
      .use = TransformUse::each,
      .make = [](const TransformRequest& request) -> std::shared_ptr<const Transform> {
        static_cast<void>(OptionValues(transpose_transform(), request));
        return std::make_shared<const ImagePipeline>(std::make_shared<const Transpose>(),
                                                     request.streams);
      }};
  return kType;
}

}  // namespace sheaf::internal
