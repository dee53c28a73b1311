#include "image/color_rows.h"

#include <array>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

using Pixel = std::array<std::uint8_t, 3>;

Pixel of_cmyk(const std::array<std::uint8_t, 4>& cmyk, ImageColor color, ImageRules rules) {
  Pixel pixel = {};
  convert_cmyk(cmyk.data(), 1, color, rules, pixel.data());
  return pixel;
}

// The values of the next two tests come from Pillow 9.4 and OpenCV 4.6.

TEST(ColorRows, PillowCmykIsInverted) {
  EXPECT_EQ(of_cmyk({255, 255, 255, 255}, ImageColor::rgb, ImageRules::pillow),
            (Pixel{255, 255, 255}));
  EXPECT_EQ(of_cmyk({200, 100, 50, 180}, ImageColor::rgb, ImageRules::pillow),
            (Pixel{141, 71, 35}));
  EXPECT_EQ(of_cmyk({200, 100, 50, 180}, ImageColor::bgr, ImageRules::pillow),
            (Pixel{35, 71, 141}));
  EXPECT_EQ(of_cmyk({0, 0, 0, 255}, ImageColor::rgb, ImageRules::pillow), (Pixel{0, 0, 0}));
}

TEST(ColorRows, OpencvCmykIsNotInverted) {
  EXPECT_EQ(of_cmyk({200, 100, 50, 180}, ImageColor::rgb, ImageRules::opencv),
            (Pixel{142, 72, 36}));
  EXPECT_EQ(of_cmyk({200, 100, 50, 180}, ImageColor::bgr, ImageRules::opencv),
            (Pixel{36, 72, 142}));
  EXPECT_EQ(of_cmyk({7, 7, 7, 0}, ImageColor::rgb, ImageRules::opencv), (Pixel{0, 0, 0}));
}

TEST(ColorRows, GreyOfCmykIsComputedFromItsColour) {
  for (unsigned k = 0; k < 256; k += 51) {
    const auto value = static_cast<std::uint8_t>(k);
    for (const ImageRules rules : {ImageRules::pillow, ImageRules::opencv}) {
      const Pixel rgb = of_cmyk({value, value, value, 255}, ImageColor::rgb, rules);
      EXPECT_EQ(of_cmyk({value, value, value, 255}, ImageColor::grey, rules)[0], rgb[0]);
    }
  }
}

TEST(ColorRows, GreyIsRoundedByEachRule) {
  std::array<std::uint8_t, 9> row = {255, 0, 0, 0, 255, 0, 0, 0, 255};
  std::array<std::uint8_t, 3> grey = {};
  convert_to_grey(row.data(), 3, ImageRules::pillow, grey.data());
  EXPECT_EQ(grey, (std::array<std::uint8_t, 3>{76, 150, 29}));
  // Products such as 114 * 128 / 1000: the two differ where a fixed point of 15 bits is too short.
  bool differs = false;
  for (unsigned i = 0; i < 1U << 18 && !differs; ++i) {
    const std::array<std::uint8_t, 3> rgb = {static_cast<std::uint8_t>(i >> 12 << 2),
                                             static_cast<std::uint8_t>((i >> 6 & 63) << 2),
                                             static_cast<std::uint8_t>((i & 63) << 2)};
    convert_to_grey(rgb.data(), 1, ImageRules::pillow, &grey[0]);
    convert_to_grey(rgb.data(), 1, ImageRules::opencv, &grey[1]);
    EXPECT_LE(std::max(grey[0], grey[1]) - std::min(grey[0], grey[1]), 1);
    differs = grey[0] != grey[1];
  }
  EXPECT_TRUE(differs);
}

TEST(ColorRows, GreyCanBeWrittenInPlace) {
  std::array<std::uint8_t, 6> row = {9, 9, 9, 200, 200, 200};
  convert_to_grey(row.data(), 2, ImageRules::opencv, row.data());
  EXPECT_EQ(row[0], 9);
  EXPECT_EQ(row[1], 200);
}

}  // namespace
}  // namespace sheaf::internal
