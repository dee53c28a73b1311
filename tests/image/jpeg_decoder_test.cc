#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "image/decode_region.h"
#include "image/encode_jpeg.h"
#include "image/made_images.h"

namespace sheaf::internal {
namespace {

std::string name_of_making(const JpegMaking& making) {
  return std::to_string(making.width) + " x " + std::to_string(making.height) + ", sampling " +
         std::to_string(making.h_sampling) + " x " + std::to_string(making.v_sampling) +
         (making.is_grey ? ", grey" : "") + (making.is_progressive ? ", progressive" : "");
}

void expect_regions(const JpegMaking& making) {
  const std::string bytes = encode_jpeg(making);
  for (const int reduction : {1, 2, 4}) {
    for (const ImageColor color : {ImageColor::rgb, ImageColor::grey}) {
      EXPECT_EQ(broken_region_law(bytes, {.color = color, .reduction = reduction}, 20), "")
          << name_of_making(making) << ", 1/" << reduction;
    }
  }
}

struct Sampling {
  int h;
  int v;
};

class JpegSampling : public testing::TestWithParam<Sampling> {};

TEST_P(JpegSampling, RegionsEqualPartsOfTheWholeImage) {
  const auto [h, v] = GetParam();
  for (const int width : {15, 16, 17, 67, 130}) {
    for (const int height : {31, 32, 33, 90}) {
      expect_regions({.width = width, .height = height, .h_sampling = h, .v_sampling = v});
      expect_regions(
          {.width = width, .height = height, .h_sampling = h, .v_sampling = v, .is_grey = true});
    }
  }
  expect_regions(
      {.width = 67, .height = 90, .h_sampling = h, .v_sampling = v, .is_progressive = true});
  expect_regions({.width = 67, .height = 90, .h_sampling = h, .v_sampling = v, .restart_rows = 1});
}

// If there is room beside the rows, decoding may write there, and nowhere beyond.
TEST_P(JpegSampling, RowPaddingDoesNotChangeARegion) {
  const auto [h, v] = GetParam();
  const std::string bytes =
      encode_jpeg({.width = 130, .height = 90, .h_sampling = h, .v_sampling = v});
  ImageHeader header;
  ImageProblem problem;
  const auto all = std::as_bytes(std::span(bytes));
  ASSERT_TRUE(read_image_header(all, header, problem));
  constexpr std::uint8_t kUntouched = 0xA5;
  constexpr std::int64_t kFar = 2;  // pixels between the room of two rows
  for (const std::int64_t x : {0, 1, 2, 15, 16, 17, 18, 31, 32, 33, 34, 60, 128}) {
    for (const std::int64_t margin : {std::int64_t{1}, kDecodeMargin - 1, kDecodeMargin}) {
      DecodeRequest request{.region = {.x = x, .y = 20, .width = 130 - x, .height = 37}};
      if (x > 1) request.region.width = std::min<std::int64_t>(41, 130 - x);
      const Decoded expected = decode_region(bytes, header, request);
      ASSERT_TRUE(expected.is_right);
      request.margin = margin;
      const std::int64_t width = request.region.width;
      const std::int64_t stride = (width + 2 * (margin + kFar)) * 3;
      std::vector<std::uint8_t> room(static_cast<std::size_t>(stride * 37), kUntouched);
      const PixelView<std::uint8_t> pixels{room.data() + (margin + kFar) * 3, width, 37, 3, stride};
      std::vector<ImageProblem> warnings;
      ImageDecoder decoder;
      ASSERT_TRUE(decoder.decode(all, header, request, pixels, problem, warnings));
      for (std::int64_t y = 0; y < 37; ++y) {
        const auto row = expected.pixels.begin() + y * width * 3;
        EXPECT_TRUE(std::equal(row, row + width * 3, pixels.row(y))) << x << " " << margin;
        for (std::int64_t i = 0; i < kFar * 3; ++i) {
          EXPECT_EQ(room[static_cast<std::size_t>(y * stride + i)], kUntouched);
          EXPECT_EQ(room[static_cast<std::size_t>((y + 1) * stride - 1 - i)], kUntouched);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, JpegSampling,
                         testing::Values(Sampling{1, 1}, Sampling{2, 1}, Sampling{2, 2},
                                         Sampling{1, 2}, Sampling{4, 1}, Sampling{1, 4},
                                         Sampling{4, 2}, Sampling{2, 4}));

std::string some_jpeg() {
  return encode_jpeg({.width = 64, .height = 64, .h_sampling = 2, .v_sampling = 2});
}

TEST(JpegDecoder, StrayBytesBeforeTheEndAreAWarning) {
  const std::string whole = some_jpeg();
  const Decoded right = decode_whole(whole, {});
  const Decoded decoded = decode_whole(
      whole.substr(0, whole.size() - 2) + "stray" + whole.substr(whole.size() - 2), {});
  ASSERT_TRUE(decoded.is_right);
  EXPECT_EQ(decoded.pixels, right.pixels);
  ASSERT_EQ(decoded.warnings.size(), 1U);
  EXPECT_NE(decoded.warnings[0].found.find("extraneous bytes before marker 0xd9"),
            std::string::npos);
}

TEST(JpegDecoder, BytesAfterTheEndAreIgnored) {
  const Decoded decoded = decode_whole(some_jpeg() + "behind", {});
  EXPECT_TRUE(decoded.is_right);
  EXPECT_TRUE(decoded.warnings.empty());
}

TEST(JpegDecoder, DamagedDataGiveNoPixels) {
  std::string bytes = some_jpeg();
  // A marker in the middle ends the segment of the data too early.
  bytes[bytes.size() / 2] = '\xff';
  bytes[bytes.size() / 2 + 1] = '\xd9';
  const Decoded decoded = decode_whole(bytes, {});
  EXPECT_FALSE(decoded.is_right);
  EXPECT_EQ(decoded.problem.found, "Corrupt JPEG data: premature end of data segment");
  EXPECT_FALSE(decoded.problem.is_cut);
}

TEST(JpegDecoder, ImagesTooWideForTheLibraryAreAnError) {
  std::string bytes = some_jpeg();
  const std::size_t frame = bytes.find(std::string("\xff\xc0", 2));
  bytes.replace(frame + 7, 2, big(65501, 2));
  const Decoded decoded = decode_whole(bytes, {});
  EXPECT_FALSE(decoded.is_right);
  EXPECT_EQ(decoded.problem.found, "Maximum supported image dimension is 65500 pixels");
}

TEST(JpegDecoder, ASecondFrameIsAnError) {
  const std::string bytes = some_jpeg();
  const std::size_t frame = bytes.find(std::string("\xff\xc0", 2));
  const std::string other = jpeg_segment('\xc0', jpeg_frame(8, 8, 3));
  EXPECT_FALSE(decode_whole(bytes.substr(0, frame) + other + bytes.substr(frame), {}).is_right);
}

}  // namespace
}  // namespace sheaf::internal
