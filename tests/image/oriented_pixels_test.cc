#include "image/oriented_pixels.h"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sheaf::internal {
namespace {

constexpr std::int64_t kWidth = 3;  // as stored
constexpr std::int64_t kHeight = 2;

/// "abc" above "def" in each orientation.
constexpr std::array<const char*, 8> kOriented = {"abcdef", "cbafed", "fedcba", "defabc",
                                                  "adbecf", "daebfc", "fcebda", "cfbead"};

/// Returns the pixels of the stored region after the orientation is applied.
std::string oriented(const PixelRegion& region, int orientation) {
  const std::string stored = "abcdef";
  const PixelRegion from = stored_region(region, kWidth, kHeight, orientation);
  std::vector<std::uint8_t> values(static_cast<std::size_t>(region.width * region.height));
  const OrientedPixels pixels({.values = values.data(),
                               .width = region.width,
                               .height = region.height,
                               .channels = 1,
                               .row_stride = region.width},
                              orientation);
  EXPECT_EQ(pixels.width(), from.width);
  EXPECT_EQ(pixels.height(), from.height);
  for (std::int64_t y = 0; y < from.height; ++y) {
    const std::string row = stored.substr(static_cast<std::size_t>((from.y + y) * kWidth + from.x),
                                          static_cast<std::size_t>(from.width));
    pixels.put_row(y, reinterpret_cast<const std::uint8_t*>(row.data()));
  }
  return {values.begin(), values.end()};
}

TEST(OrientedPixels, EachOrientationTransformsTheImage) {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const bool is_swapped = orientation >= 5;
    const PixelRegion whole{.width = is_swapped ? kHeight : kWidth,
                            .height = is_swapped ? kWidth : kHeight};
    EXPECT_EQ(oriented(whole, orientation), kOriented[static_cast<std::size_t>(orientation - 1)]);
  }
}

TEST(OrientedPixels, RegionsReferToTheRotatedImage) {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const std::int64_t width = orientation >= 5 ? kHeight : kWidth;
    const std::int64_t height = orientation >= 5 ? kWidth : kHeight;
    const std::string whole = kOriented[static_cast<std::size_t>(orientation - 1)];
    for (std::int64_t y = 0; y < height; ++y) {
      for (std::int64_t x = 0; x < width; ++x) {
        EXPECT_EQ(oriented({.x = x, .y = y, .width = 1, .height = 1}, orientation)[0],
                  whole[static_cast<std::size_t>(y * width + x)])
            << orientation << ' ' << x << ' ' << y;
      }
    }
  }
}

TEST(OrientedPixels, OnlyUnrotatedRowsAreDirect) {
  std::array<std::uint8_t, 12> values = {};
  const PixelView<std::uint8_t> view = {
      .values = values.data(), .width = 2, .height = 2, .channels = 3, .row_stride = 6};
  EXPECT_EQ(OrientedPixels(view, 1).direct_row(1), &values[6]);
  EXPECT_EQ(OrientedPixels(view, 4).direct_row(1), &values[0]);
  for (const int orientation : {2, 3, 5, 6, 7, 8}) {
    EXPECT_EQ(OrientedPixels(view, orientation).direct_row(1), nullptr) << orientation;
  }
}

TEST(OrientedPixels, ChannelsOfAPixelStayTogether) {
  std::array<std::uint8_t, 6> values = {};
  const OrientedPixels pixels(
      {.values = values.data(), .width = 2, .height = 1, .channels = 3, .row_stride = 6}, 2);
  constexpr std::array<std::uint8_t, 6> kRow = {1, 2, 3, 4, 5, 6};
  pixels.put_row(0, kRow.data());
  EXPECT_EQ(values, (std::array<std::uint8_t, 6>{4, 5, 6, 1, 2, 3}));
}

}  // namespace
}  // namespace sheaf::internal
