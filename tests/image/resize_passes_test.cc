#include "image/resize_passes.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/each_simd_level.h"
#include "image/resize_cases.h"

namespace sheaf::internal {
namespace {

using ByteImage = MadeImage<std::uint8_t>;

class ResizePasses : public EachSimdLevel {
 protected:
  /// Runs both passes with the kernels of the level and of the baseline, and compares the results.
  void compare(const ByteImage& from, std::int64_t width, std::int64_t height,
               ResizeFilter filter) {
    const ByteImage made = resized(from, width, height, filter);
    const SimdLevel level = simd_level();
    ASSERT_TRUE(set_simd_level(SimdLevel::baseline));
    const ByteImage expected = resized(from, width, height, filter);
    ASSERT_TRUE(set_simd_level(level));
    EXPECT_EQ(made.values, expected.values)
        << from.view.width << " x " << from.view.height << " x " << from.view.channels << " to "
        << width << " x " << height << " by " << static_cast<int>(filter);
  }

 private:
  ByteImage resized(const ByteImage& from, std::int64_t width, std::int64_t height,
                    ResizeFilter filter) {
    const std::int64_t channels = from.view.channels;
    const auto axis = [](std::int64_t extent, std::int64_t made) {
      return ResizeAxis{
          .extent = extent, .first = 0, .end = static_cast<float>(extent), .made = made};
    };
    ByteImage narrow(width, from.view.height, channels);
    resize_rows(from.read(), 0, weights_of(axis(from.view.width, width), filter, room_, doubles_),
                narrow.view, memory_);
    ByteImage to(width, height, channels);
    resize_columns(narrow.read(), 0,
                   weights_of(axis(from.view.height, height), filter, room_, doubles_), to.view,
                   memory_);
    return to;
  }

  ResizeMemory memory_;
  std::vector<std::int32_t> room_;
  std::vector<double> doubles_;
};

constexpr ResizeFilter kFilters[] = {ResizeFilter::box, ResizeFilter::bilinear,
                                     ResizeFilter::hamming, ResizeFilter::bicubic,
                                     ResizeFilter::lanczos};

// Returns noise. With `is_extreme`, the noise has only the smallest and the largest value, so sums
// are clipped.
ByteImage noise(std::int64_t width, std::int64_t height, std::int64_t channels, bool is_extreme) {
  ByteImage image(width, height, channels);
  std::mt19937 random(static_cast<unsigned>(width * 31 + height * 7 + channels));
  for (std::uint8_t& value : image.values) {
    value = static_cast<std::uint8_t>(is_extreme ? random() % 2 * 255 : random() % 256);
  }
  return image;
}

TEST_P(ResizePasses, MatchTheBaselineForAllWidths) {
  for (const std::int64_t channels : {1, 3, 4}) {
    for (std::int64_t width = 1; width <= 70; ++width) {
      for (const ResizeFilter filter : kFilters) {
        for (const bool is_extreme : {false, true}) {
          compare(noise(width, 9, channels, is_extreme), 33, 11, filter);
          compare(noise(47, 7, channels, is_extreme), width, 5, filter);
          compare(noise(width, 5, channels, is_extreme), 70 - width + 1, 6, filter);
        }
      }
    }
  }
}

TEST_P(ResizePasses, MatchTheBaselineForAllNumbersOfTaps) {
  for (const std::int64_t channels : {1, 2, 3, 4, 5}) {
    for (std::int64_t extent = 1; extent <= 400; extent += extent < 100 ? 1 : 37) {
      for (const ResizeFilter filter : kFilters) {
        compare(noise(extent, 3, channels, true), 10, 3, filter);
        compare(noise(12, extent, channels, true), 12, 10, filter);
      }
    }
  }
}

// An image of one value keeps its value: the weights add up to one.
TEST_P(ResizePasses, KeepExtremeValues) {
  for (const int each : {0, 1, 254, 255}) {
    const auto value = static_cast<std::uint8_t>(each);
    ByteImage image(50, 40, 3);
    std::fill(image.values.begin(), image.values.end(), value);
    for (const ResizeFilter filter : kFilters) {
      for (const std::int64_t size : {1, 20, 39, 77}) {
        ByteImage to(size, size, 3);
        ResizeMemory memory;
        resize_as_pillow(image.read(), {0, 0, 50, 40}, to.view, filter, memory);
        EXPECT_EQ(std::count(to.values.begin(), to.values.end(), value), size * size * 3);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, ResizePasses,
                         ::testing::Values(SimdLevel::baseline, SimdLevel::avx2, SimdLevel::avx512),
                         [](const auto& level) { return std::string(to_string(level.param)); });

}  // namespace
}  // namespace sheaf::internal
