#include <algorithm>
#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include "image/decode_region.h"
#include "image/made_images.h"

namespace sheaf::internal {
namespace {

TEST(PngDecoder, DamageAfterTheRegionIsDetected) {
  const std::string whole = image_file("rgba.png");
  ImageHeader header;
  ImageProblem problem;
  ASSERT_TRUE(read_image_header(bytes_of(whole), header, problem));
  const std::size_t data = whole.find("IDAT");
  for (std::size_t at = data + 4; at < whole.size() - 16; at += 97) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    const Decoded part = decode_region(damaged, header, {.region = {.width = 1, .height = 1}});
    EXPECT_FALSE(part.is_right) << at;
    EXPECT_FALSE(part.problem.is_cut) << at;
    EXPECT_FALSE(decode_whole(damaged, {}).is_right) << at;
  }
}

TEST(PngDecoder, ADamagedHeaderIsAnError) {
  std::string bytes = image_file("rgba.png");
  bytes[19] = static_cast<char>(bytes[19] + 1);  // changes the width, which makes the checksum
                                                 // wrong
  const Decoded decoded = decode_whole(bytes, {});
  EXPECT_FALSE(decoded.is_right);
  EXPECT_EQ(decoded.problem.found, "IHDR: CRC error");
}

TEST(PngDecoder, TextsAndProfilesAreSkipped) {
  std::string bytes = image_file("rgba.png");
  const Decoded right = decode_whole(bytes, {});
  std::string chunk = png_chunk("iCCP", "not a profile");
  chunk.replace(chunk.size() - 4, 4, std::string("\x12\x34\x56\x78"));
  bytes.insert(33, chunk);
  const Decoded decoded = decode_whole(bytes, {});
  ASSERT_TRUE(decoded.is_right) << decoded.problem.found;
  EXPECT_EQ(decoded.pixels, right.pixels);
}

TEST(PngDecoder, AnImageWithoutItsLastChunkIsTruncated) {
  const std::string whole = image_file("grey_alpha.png");
  const Decoded decoded = decode_whole(whole.substr(0, whole.size() - 12), {});
  EXPECT_FALSE(decoded.is_right);
  EXPECT_TRUE(decoded.problem.is_cut);
}

TEST(PngDecoder, TheFirstFourWarningsAreKept) {
  const std::string image = image_file("rgba.png");
  constexpr std::size_t kHeaderEnd = 8 + 25;  // signature, IHDR
  for (const std::size_t count : {3U, 4U, 5U}) {
    std::string bytes = image.substr(0, kHeaderEnd);
    for (std::size_t i = 0; i < count; ++i) bytes += png_chunk("tEXt", "a");  // a wrong checksum
    const Decoded decoded = decode_whole(bytes + image.substr(kHeaderEnd), {});
    EXPECT_TRUE(decoded.is_right) << decoded.problem.found;
    EXPECT_EQ(decoded.warnings.size(), std::min<std::size_t>(count, 4));
  }
}

}  // namespace
}  // namespace sheaf::internal
