#include "transform/image_saturation.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace sheaf::internal {
namespace {

struct Hsv {
  float hue = 0;  // in degrees
  float saturation = 0;
  float value = 0;
};

constexpr float kSectorDegrees = 60;
constexpr float kAllDegrees = 360;

Hsv to_hsv(float blue, float green, float red) noexcept {
  constexpr float kEpsilon = std::numeric_limits<float>::epsilon();
  const float value = std::max({red, green, blue});
  const float span = value - std::min({red, green, blue});
  const float scale = kSectorDegrees / (span + kEpsilon);
  float hue = 0;
  if (value == red) {
    hue = (green - blue) * scale;
  } else if (value == green) {
    hue = (blue - red) * scale + 2 * kSectorDegrees;
  } else {
    hue = (red - green) * scale + 4 * kSectorDegrees;
  }
  if (hue < 0) hue += kAllDegrees;
  return {.hue = hue, .saturation = span / (std::abs(value) + kEpsilon), .value = value};
}

void from_hsv(const Hsv& color, float* pixel) noexcept {
  // The levels, of four, that blue, green and red have in each sector of the hue.
  constexpr std::array<std::array<std::size_t, 3>, 6> kLevels = {
      {{1, 3, 0}, {1, 0, 2}, {3, 0, 1}, {0, 2, 1}, {0, 1, 3}, {2, 1, 0}}};
  const float value = color.value;
  const float saturation = color.saturation;
  if (saturation == 0) {
    std::fill_n(pixel, 3, value);
    return;
  }
  float hue = std::fmod(color.hue * (1 / kSectorDegrees), 6.0F);
  float sector = std::floor(hue);
  hue -= sector;
  if (!(sector >= 0 && sector < 6)) {
    sector = 0;
    hue = 0;
  }
  const std::array<float, 4> levels = {value, value * (1 - saturation),
                                       value * (1 - saturation * hue),
                                       value * (1 - saturation * (1 - hue))};
  const std::array<std::size_t, 3>& of_sector = kLevels[static_cast<std::size_t>(sector)];
  for (std::size_t c = 0; c < 3; ++c) pixel[c] = levels[of_sector[c]];
}

}  // namespace

void scale_saturation(const PixelView<float>& image, float ratio) noexcept {
  assert(image.channels == 3);
  for (std::int64_t y = 0; y < image.height; ++y) {
    float* pixel = image.row(y);
    for (std::int64_t x = 0; x < image.width; ++x, pixel += 3) {
      Hsv color = to_hsv(pixel[0], pixel[1], pixel[2]);
      color.saturation = std::min(color.saturation * ratio, 1.0F);
      from_hsv(color, pixel);
    }
  }
}

}  // namespace sheaf::internal
