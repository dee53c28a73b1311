#include "ops/report/pictures.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "image/image_decoder.h"
#include "image/made_images.h"

namespace sheaf::internal {
namespace {

template <typename T>
const std::byte* picture_bytes(const std::vector<T>& values) {
  return reinterpret_cast<const std::byte*>(values.data());
}

std::vector<std::byte> levels(std::initializer_list<int> numbers) {
  std::vector<std::byte> bytes;
  for (const int each : numbers) bytes.push_back(static_cast<std::byte>(each));
  return bytes;
}

TEST(Pictures, ASmallMatrixKeepsItsCells) {
  const std::vector<float> values = {0, 1, 2, 5};
  const auto map = heat_map(ElementType::f32, picture_bytes(values), 2, 2);
  ASSERT_TRUE(map);
  EXPECT_EQ(map->rows, 2);
  EXPECT_EQ(map->columns, 2);
  EXPECT_EQ(map->low, 0);
  EXPECT_EQ(map->high, 5);
  EXPECT_EQ(map->levels, levels({0, 51, 102, 255}));
}

TEST(Pictures, CellsOfALargeMatrixAreMeans) {
  std::vector<std::int32_t> values(128 * 64);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<std::int32_t>(i / 64 % 2 * 10);  // image rows of 0 and 10
  }
  values.back() = 30;  // the last cell is the mean of 0 and 30
  const auto map = heat_map(ElementType::i32, picture_bytes(values), 128, 64);
  ASSERT_TRUE(map);
  EXPECT_EQ(map->rows, 64);
  EXPECT_EQ(map->columns, 64);
  EXPECT_EQ(map->low, 5);
  EXPECT_EQ(map->high, 15);
}

TEST(Pictures, NonFiniteValuesAreIgnored) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values = {kNan, 1e308, -1e308, kNan};
  const auto map = heat_map(ElementType::f64, picture_bytes(values), 1, 4);
  ASSERT_TRUE(map);
  EXPECT_EQ(map->levels, levels({0, 255, 0, 0}));
  const std::vector<double> none = {kNan, kNan};
  EXPECT_FALSE(heat_map(ElementType::f64, picture_bytes(none), 1, 2));
  const std::vector<double> equal = {3, 3};
  EXPECT_EQ(heat_map(ElementType::f64, picture_bytes(equal), 1, 2)->levels, levels({128, 128}));
}

TEST(Pictures, ImagesMayHaveEitherLayout) {
  // 4 x 5 red pixels, except for one blue pixel.
  std::vector<std::uint8_t> last(60);
  std::vector<std::uint8_t> first(60);
  for (std::size_t pixel = 0; pixel < 20; ++pixel) {
    const std::size_t channel = pixel == 7 ? 2 : 0;
    last[3 * pixel + channel] = 255;
    first[20 * channel + pixel] = 255;
  }
  const std::vector<std::int64_t> last_extents = {4, 5, 3};
  const std::vector<std::int64_t> first_extents = {3, 4, 5};
  const auto a = thumbnail_of(ElementType::u8, last_extents, picture_bytes(last));
  const auto b = thumbnail_of(ElementType::u8, first_extents, picture_bytes(first));
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->width, 5);
  EXPECT_EQ(a->height, 4);
  EXPECT_EQ(a->pixels, b->pixels);
  EXPECT_EQ(a->pixels[0], std::byte{255});
  EXPECT_EQ(a->pixels[3 * 7], std::byte{0});
  EXPECT_EQ(a->pixels[3 * 7 + 2], std::byte{255});
}

TEST(Pictures, LargeImagesShrinkAndKeepTheirAspectRatio) {
  const std::vector<std::int64_t> extents = {100, 200, 1};
  const std::vector<float> values(20'000, 0.5F);
  const auto thumbnail = thumbnail_of(ElementType::f32, extents, picture_bytes(values));
  ASSERT_TRUE(thumbnail);
  EXPECT_EQ(thumbnail->width, 64);
  EXPECT_EQ(thumbnail->height, 32);
  EXPECT_EQ(thumbnail->pixels.size(), 64U * 32 * 3);
  EXPECT_EQ(thumbnail->pixels[100], std::byte{128});
}

TEST(Pictures, OtherSamplesAreNotImages) {
  const std::vector<std::uint8_t> values(64);
  for (const std::vector<std::int64_t>& extents :
       {std::vector<std::int64_t>{8, 8}, {4, 4, 4}, {2, 5, 3}, {64}}) {
    EXPECT_FALSE(thumbnail_of(ElementType::u8, extents, picture_bytes(values)));
  }
  EXPECT_FALSE(thumbnail_of(std::as_bytes(std::span(values))));
  EXPECT_FALSE(thumbnail_of({}));
}

// An encoded image with the mean of each colour, as computed by Pillow.
struct EncodedImage {
  const char* file;
  std::int64_t width;
  std::int64_t height;
  std::array<double, 3> means;
};

TEST(Pictures, EncodedImagesAreDecodedAndShrunk) {
  if (!has_image_decoders()) GTEST_SKIP() << "built without images";
  const std::array<EncodedImage, 5> images = {{{"progressive.jpg", 37, 29, {147.1, 126.9, 139.5}},
                                               {"large.jpg", 64, 55, {124.2, 125.0, 126.2}},
                                               {"palette_8.png", 37, 29, {111.1, 115.0, 124.3}},
                                               {"rgb_16.png", 23, 19, {124.1, 124.4, 132.6}},
                                               {"dot.png", 1, 1, {103, 5, 94}}}};
  for (const EncodedImage& each : images) {
    const std::string bytes = image_file(each.file);
    const auto thumbnail = thumbnail_of(bytes_of(bytes));
    ASSERT_TRUE(thumbnail) << each.file;
    EXPECT_EQ(thumbnail->width, each.width) << each.file;
    EXPECT_EQ(thumbnail->height, each.height) << each.file;
    std::array<double, 3> sums = {};
    for (std::size_t i = 0; i < thumbnail->pixels.size(); ++i) {
      sums[i % 3] += std::to_integer<int>(thumbnail->pixels[i]);
    }
    for (std::size_t color = 0; color < 3; ++color) {
      const auto pixels = static_cast<double>(each.width * each.height);
      EXPECT_NEAR(sums[color] / pixels, each.means[color], 3) << each.file << ' ' << color;
    }
  }
}

TEST(Pictures, TruncatedImagesHaveNoThumbnail) {
  const std::string whole = image_file("palette_8.png");
  EXPECT_FALSE(thumbnail_of({}));
  EXPECT_FALSE(thumbnail_of(bytes_of("GIF89a")));
  EXPECT_FALSE(thumbnail_of(bytes_of(whole.substr(0, 40))));
}

TEST(Pictures, AnImageOfTooManyPixelsHasNoThumbnail) {
  EXPECT_FALSE(thumbnail_of(bytes_of(png_header(60'000, 60'000, 8, 2))));
}

}  // namespace
}  // namespace sheaf::internal
