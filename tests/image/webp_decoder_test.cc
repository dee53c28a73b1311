#include <string>

#include <gtest/gtest.h>

#include "image/decode_region.h"
#include "image/made_images.h"

namespace sheaf::internal {
namespace {

TEST(WebpDecoder, RegionsEqualPartsOfTheWholeImage) {
  for (const char* file : {"lossy.webp", "lossless.webp"}) {
    EXPECT_EQ(broken_region_law(image_file(file), {}, 300), "") << file;
  }
}

TEST(WebpDecoder, ExtentsThatContradictTheFrameAreAnError) {
  std::string bytes = image_file("exif_6.webp");
  bytes[24] = static_cast<char>(bytes[24] + 1);  // the width in VP8X
  EXPECT_FALSE(decode_whole(bytes, {}).is_right);
}

TEST(WebpDecoder, DamagedDataGiveNoPixels) {
  std::string bytes = image_file("lossless.webp");
  for (std::size_t at = 25; at < 60; ++at) bytes[at] = '\xff';
  const Decoded decoded = decode_whole(bytes, {});
  EXPECT_FALSE(decoded.is_right);
  EXPECT_EQ(decoded.problem.expected, "a WebP image that libwebp decodes");
}

}  // namespace
}  // namespace sheaf::internal
