#include "image/color_rows.h"

#include <array>

namespace sheaf::internal {
namespace {

using Rgb = std::array<unsigned, 3>;

/// Returns C, M and Y times K, rounded as in OpenCV.
Rgb opencv_rgb(const std::uint8_t* cmyk) noexcept {
  const unsigned k = cmyk[3];
  const auto ink = [k](unsigned value) { return k - ((255 - value) * k >> 8); };
  return {ink(cmyk[0]), ink(cmyk[1]), ink(cmyk[2])};
}

Rgb pillow_rgb(const std::uint8_t* cmyk) noexcept {
  const unsigned white = cmyk[3];  // 255 - K, and K is inverted
  const auto light = [white](unsigned stored) {
    const unsigned product = (255 - stored) * white + 128;
    const unsigned ink = ((product >> 8) + product) >> 8;
    return white > ink ? white - ink : 0;
  };
  return {light(cmyk[0]), light(cmyk[1]), light(cmyk[2])};
}

unsigned pillow_grey(const Rgb& rgb) noexcept {
  return (rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 0x8000) >> 16;
}

unsigned grey_of_opencv_cmyk(const Rgb& rgb) noexcept {
  return (rgb[0] * 4899 + rgb[1] * 9617 + rgb[2] * 1868 + (1U << 13)) >> 14;
}

}  // namespace

void convert_cmyk(const std::uint8_t* cmyk, std::int64_t count, ImageColor color, ImageRules rules,
                  std::uint8_t* to) noexcept {
  const bool is_opencv = rules == ImageRules::opencv;
  for (std::int64_t i = 0; i < count; ++i, cmyk += 4) {
    const Rgb rgb = is_opencv ? opencv_rgb(cmyk) : pillow_rgb(cmyk);
    if (color == ImageColor::grey) {
      *to++ = static_cast<std::uint8_t>(is_opencv ? grey_of_opencv_cmyk(rgb) : pillow_grey(rgb));
      continue;
    }
    const bool is_bgr = color == ImageColor::bgr;
    *to++ = static_cast<std::uint8_t>(rgb[is_bgr ? 2 : 0]);
    *to++ = static_cast<std::uint8_t>(rgb[1]);
    *to++ = static_cast<std::uint8_t>(rgb[is_bgr ? 0 : 2]);
  }
}

void convert_to_grey(const std::uint8_t* rgb, std::int64_t count, ImageRules rules,
                     std::uint8_t* to) noexcept {
  for (std::int64_t i = 0; i < count; ++i, rgb += 3) {
    const Rgb pixel = {rgb[0], rgb[1], rgb[2]};
    to[i] = static_cast<std::uint8_t>(
        rules == ImageRules::opencv
            ? (pixel[0] * 9798 + pixel[1] * 19235 + pixel[2] * 3735 + (1U << 14)) >> 15
            : pillow_grey(pixel));
  }
}

}  // namespace sheaf::internal
