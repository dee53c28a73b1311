#include "format/images/pixel_count.h"

#include <string>

#include <gtest/gtest.h>

#include "sheaf/extend/byte_source.h"

namespace sheaf::internal {
namespace {

using std::string_literals::operator""s;

// A PNG of 2 x 3 pixels as far as its header says so.
const std::string kPng = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\2\0\0\0\3\10\2\0\0\0"s + "crc." +
                         "\0\0\0\1IDAT"s + "x....";

std::int64_t pixels_in(const std::string& bytes, std::int64_t offset, std::int64_t size,
                       std::int64_t read_size = 1 << 20) {
  return pixel_count_of(*memory_source(bytes, "a"), offset, size, read_size);
}

TEST(PixelCount, IsWidthTimesHeightOfTheHeader) {
  const std::int64_t size = std::ssize(kPng);
  EXPECT_EQ(pixels_in(kPng, 0, size), 6);
  EXPECT_EQ(pixels_in(kPng, 0, size, 1), 6) << "byte by byte";
  EXPECT_EQ(pixels_in("abc" + kPng + "def", 3, size), 6);
}

TEST(PixelCount, IsNoneWithoutAHeader) {
  EXPECT_EQ(pixels_in("no image", 0, 8), 0);
  EXPECT_EQ(pixels_in("no image", 0, 0), 0);
  EXPECT_EQ(pixels_in(kPng, 0, 20), 0) << "the header is cut";
}

// EXIF of 5,000 bytes stands before the extents of a JPEG, behind the bytes that are read at first.
TEST(PixelCount, ReadsOnWhereTheHeaderIsLong) {
  const std::string exif = "\xFF\xE1\x13\x8A"s + std::string(5000, '\0');
  const std::string extents = "\xFF\xC0\0\x0B\x08\0\7\0\5\1\1\x11\0"s;
  const std::string jpeg = "\xFF\xD8"s + exif + extents + "\xFF\xDA\0\x08\1\1\0\0\x3F\0"s;
  EXPECT_EQ(pixels_in(jpeg, 0, std::ssize(jpeg)), 35);
}

}  // namespace
}  // namespace sheaf::internal
