#include "transform/image_mirror.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/each_simd_level.h"

namespace sheaf::internal {
namespace {

/// An image whose rows lie `gap` values apart, followed by a byte that must not change.
struct Room {
  std::vector<std::uint8_t> bytes;
  AnyPixels pixels;

  Room(std::int64_t height, std::int64_t width, std::int64_t channels, std::int64_t gap)
      : bytes(static_cast<std::size_t>(height * (width * channels + gap)), 0xEE) {
    pixels = {.type = ElementType::u8,
              .values = reinterpret_cast<std::byte*>(bytes.data()),
              .height = height,
              .width = width,
              .channels = channels,
              .row_bytes = width * channels + gap};
  }
  [[nodiscard]] std::uint8_t& at(std::int64_t y, std::int64_t i) {
    return bytes[static_cast<std::size_t>(y * pixels.row_bytes + i)];
  }
};

class ImageMirror : public EachSimdLevel {};

TEST_P(ImageMirror, EachPixelIsMirrored) {
  for (const std::int64_t channels : {1, 3, 4}) {
    for (std::int64_t width = 1; width <= 70; ++width) {
      Room from(2, width, channels, 0);
      for (std::size_t i = 0; i < from.bytes.size(); ++i) {
        from.bytes[i] = static_cast<std::uint8_t>(i * 7 % 256);
      }
      Room across(2, width, channels, 1);
      mirror_pixels(from.pixels, /*is_vertical=*/false, across.pixels);
      Room upside_down(2, width, channels, 1);
      mirror_pixels(from.pixels, /*is_vertical=*/true, upside_down.pixels);
      for (std::int64_t y = 0; y < 2; ++y) {
        for (std::int64_t x = 0; x < width; ++x) {
          for (std::int64_t c = 0; c < channels; ++c) {
            const std::uint8_t value = from.at(y, x * channels + c);
            ASSERT_EQ(across.at(y, (width - 1 - x) * channels + c), value) << width << " " << x;
            ASSERT_EQ(upside_down.at(1 - y, x * channels + c), value);
          }
        }
        EXPECT_EQ(across.at(y, width * channels), 0xEE) << width;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, ImageMirror,
                         ::testing::Values(SimdLevel::baseline, SimdLevel::avx2, SimdLevel::avx512),
                         [](const auto& level) { return std::string(to_string(level.param)); });

}  // namespace
}  // namespace sheaf::internal
