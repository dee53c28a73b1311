#include "image/pillow_bands.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "image/decode_region.h"
#include "image/encode_jpeg.h"
#include "image/resize_cases.h"
#include "transform/image_runner.h"

namespace sheaf::internal {
namespace {

TEST(PillowBands, MatchTheWholeRegion) {
  const std::string bytes =
      encode_jpeg({.width = 90, .height = 130, .h_sampling = 2, .v_sampling = 2});
  const auto all = std::as_bytes(std::span(bytes));
  ImageHeader header;
  ImageProblem problem;
  ASSERT_TRUE(read_image_header(all, header, problem));
  ASSERT_TRUE(has_bands(header));
  ResizeMemory memory;
  for (const std::int64_t height : {1, 15, 16, 17, 31, 32, 33, 100}) {
    for (const ResizeFilter filter : {ResizeFilter::box, ResizeFilter::bilinear,
                                      ResizeFilter::bicubic, ResizeFilter::lanczos}) {
      DecodeRequest request{.region = {.x = 21, .y = 19, .width = 50, .height = height}};
      Decoded whole = decode_region(bytes, header, request);
      ASSERT_TRUE(whole.is_right);
      MadeImage<std::uint8_t> expected(23, 37, 3);
      resize_as_pillow({whole.pixels.data(), 50, height, 3, 150},
                       {0, 0, 50, static_cast<double>(height)}, expected.view, filter, memory);

      std::vector<std::uint8_t> room(static_cast<std::size_t>(kBandRows * 150));
      MadeImage<std::uint8_t> made(23, 37, 3);
      PillowBands bands(request.region, {room.data(), 50, kBandRows, 3, 150}, made.view, filter,
                        memory);
      request.bands = &bands;
      ImageDecoder decoder;
      std::vector<ImageProblem> warnings;
      ASSERT_TRUE(decoder.decode(all, header, request, {room.data(), 50, kBandRows, 3, 150},
                                 problem, warnings));
      bands.finish();
      EXPECT_EQ(made.values, expected.values) << height << " by " << static_cast<int>(filter);
    }
  }
}

// The crop itself has 2.9 million bytes.
TEST(PillowBands, ALargeCropNeedsNoLargeBuffer) {
  const std::string bytes = encode_jpeg({.width = 1000, .height = 1000});
  const auto all = std::as_bytes(std::span(bytes));
  ImageHeader header;
  ImageProblem problem;
  ASSERT_TRUE(read_image_header(all, header, problem));
  const ImageForm cut{.height = 990, .width = 980, .channels = 3};
  const ImageForm made{.height = 20, .width = 30, .channels = 3};
  const std::vector<ImageStep> steps = {
      {.kind = ImageStep::Kind::cut,
       .made = cut,
       .region = {.x = 7, .y = 8, .width = 980, .height = 990}},
      {.kind = ImageStep::Kind::resize, .made = made, .has_antialias = true}};
  std::vector<std::byte> room(1800);
  ImageRunner runner;
  ASSERT_TRUE(runner.decode(
      all, header, {}, steps,
      {.values = room.data(), .height = 20, .width = 30, .channels = 3, .row_bytes = 90}, problem));
  EXPECT_GT(runner.held_bytes(), 0U);
  EXPECT_LT(runner.held_bytes(), 60'000U);
}

TEST(PillowBands, ApplyToResizesOfBothExtents) {
  const PixelRegion region{.x = 3, .y = 4, .width = 50, .height = 40};
  EXPECT_TRUE(PillowBands::takes(region, 51, 39, ResizeFilter::bilinear));
  EXPECT_FALSE(PillowBands::takes(region, 50, 39, ResizeFilter::bilinear));
  EXPECT_FALSE(PillowBands::takes(region, 51, 40, ResizeFilter::bilinear));
  EXPECT_FALSE(PillowBands::takes(region, 51, 39, ResizeFilter::nearest));
}

TEST(PillowBands, OnlyUprightJpegHasBands) {
  EXPECT_TRUE(has_bands({.format = ImageFormat::jpeg, .orientation = 1}));
  EXPECT_FALSE(has_bands({.format = ImageFormat::jpeg, .orientation = 2}));
  EXPECT_FALSE(has_bands({.format = ImageFormat::png, .orientation = 1}));
}

}  // namespace
}  // namespace sheaf::internal
