#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "transform/image_operation.h"
#include "transform/run_images.h"
#include "transform/run_transform.h"

namespace sheaf {
namespace {

// Returns the region that torchvision's RandomResizedCrop.get_params() gives for the same numbers.
internal::PixelRegion region_of(std::int64_t height, std::int64_t width, double scale_low,
                                double ratio_low, double ratio_high, std::uint64_t key) {
  KeyedGenerator generator({.key = {key, 0}, .transform = "random_resized_crop"});
  const auto area = static_cast<double>(height * width);
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double target = area * (scale_low + (1 - scale_low) * generator.uniform());
    const double low = std::log(ratio_low);
    const double ratio = std::exp(low + (std::log(ratio_high) - low) * generator.uniform());
    const auto w = static_cast<std::int64_t>(std::nearbyint(std::sqrt(target * ratio)));
    const auto h = static_cast<std::int64_t>(std::nearbyint(std::sqrt(target / ratio)));
    if (w < 1 || w > width || h < 1 || h > height) continue;
    const std::int64_t y = h == height ? 0 : generator.below(height - h + 1);
    const std::int64_t x = w == width ? 0 : generator.below(width - w + 1);
    return {.x = x, .y = y, .width = w, .height = h};
  }
  internal::PixelRegion region{.width = width, .height = height};
  const double in_ratio = static_cast<double>(width) / static_cast<double>(height);
  if (in_ratio < ratio_low) {
    region.height = std::lround(static_cast<double>(width) / ratio_low);
  } else if (in_ratio > ratio_high) {
    region.width = std::lround(static_cast<double>(height) * ratio_high);
  }
  region.x = (width - region.width) / 2;
  region.y = (height - region.height) / 2;
  return region;
}

TestImage cut(const TestImage& image, const internal::PixelRegion& region) {
  TestImage part{.extents = {region.height, region.width, image.extents[2]}};
  for (std::int64_t y = region.y; y < region.y + region.height; ++y) {
    for (std::int64_t i = region.x * image.extents[2];
         i < (region.x + region.width) * image.extents[2]; ++i) {
      part.values.push_back(
          image.values[static_cast<std::size_t>(y * image.extents[1] * image.extents[2] + i)]);
    }
  }
  return part;
}

void expect_as_torchvision(std::int64_t height, std::int64_t width, const std::string& options,
                           double scale_low, double ratio_low, double ratio_high) {
  const TestImage image = random_image(height, width, 3);
  for (std::uint64_t key = 0; key < 60; ++key) {
    const internal::PixelRegion region =
        region_of(height, width, scale_low, ratio_low, ratio_high, key);
    const TestImage expected =
        run_images(*joined({"resize:size=6x5"}), {.pixels = {cut(image, region)}})[0];
    const TestImages images{.pixels = {image}, .key = key};
    EXPECT_EQ(run_images(*joined({"random_resized_crop:size=6x5" + options}), images)[0], expected);
  }
}

TEST(RandomResizedCrop, MatchesTorchvision) {
  expect_as_torchvision(20, 30, "", 0.08, 0.75, 1.3333333333333333);
  expect_as_torchvision(31, 9, ",scale=0.5:1,ratio=0.5:2", 0.5, 0.5, 2);
}

TEST(RandomResizedCrop, CropsTheCentreIfNothingFits) {
  expect_as_torchvision(2, 100, ",scale=0.9:1", 0.9, 0.75, 1.3333333333333333);
  expect_as_torchvision(100, 2, ",scale=0.9:1", 0.9, 0.75, 1.3333333333333333);
  expect_as_torchvision(1, 1, "", 0.08, 0.75, 1.3333333333333333);
}

TEST(RandomResizedCrop, KnowsItsShapeAndOptions) {
  const auto transform = joined({"random_resized_crop:size=6x5,filter=cubic"});
  const std::vector<Stream> streams = {stream_of({.pixels = {random_image(3, 4, 3)}})};
  EXPECT_EQ(to_string(transform->outputs(streams)[0].sample_shape), "[6, 5, *]");
  EXPECT_TRUE(transform->is_random());
  EXPECT_EQ(transform->options(),
            "size=6x5,scale=0.08:1,ratio=0.75:1.3333333333333333,filter=cubic,antialias=true");
}

}  // namespace
}  // namespace sheaf
