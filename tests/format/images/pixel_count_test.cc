#include "format/images/pixel_count.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sheaf/extend/byte_source.h"

#include "image/made_images.h"

namespace sheaf::internal {
namespace {

using std::string_literals::operator""s;

// The beginning of a PNG of 2 x 3 pixels, as far as its header needs.
const std::string kPng = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\2\0\0\0\3\10\2\0\0\0"s + "crc." +
                         "\0\0\0\1IDAT"s + "x....";

std::int64_t pixels_in(const std::string& bytes, std::int64_t offset, std::int64_t size,
                       std::int64_t read_size = 1 << 20) {
  return pixel_count_of(*memory_source(bytes, "a"), offset, size, read_size);
}

TEST(PixelCount, IsWidthTimesHeight) {
  const std::int64_t size = std::ssize(kPng);
  EXPECT_EQ(pixels_in(kPng, 0, size), 6);
  EXPECT_EQ(pixels_in(kPng, 0, size, 1), 6) << "byte by byte";
  EXPECT_EQ(pixels_in("abc" + kPng + "def", 3, size), 6);
}

TEST(PixelCount, IsZeroWithoutAHeader) {
  EXPECT_EQ(pixels_in("no image", 0, 8), 0);
  EXPECT_EQ(pixels_in("no image", 0, 0), 0);
  EXPECT_EQ(pixels_in(kPng, 0, 20), 0) << "the header is cut";
}

// EXIF data of 5,000 bytes stand before the extents of the JPEG, so the first read does not reach
// the extents.
TEST(PixelCount, ReadsFurtherIfTheHeaderIsLong) {
  const std::string exif = "\xFF\xE1\x13\x8A"s + std::string(5000, '\0');
  const std::string extents = "\xFF\xC0\0\x0B\x08\0\7\0\5\1\1\x11\0"s;
  const std::string jpeg = "\xFF\xD8"s + exif + extents + "\xFF\xDA\0\x08\1\1\0\0\x3F\0"s;
  EXPECT_EQ(pixels_in(jpeg, 0, std::ssize(jpeg)), 35);
}

// First 4 KiB are read, then 64 KiB, then 16 MiB. Tests one below, at and above.
TEST(PixelCount, ReadsHeadersOfUpTo16Megabytes) {
  constexpr std::int64_t kMost = std::int64_t{16} << 20;
  for (const std::int64_t border : {std::int64_t{4096}, std::int64_t{65'536}, kMost}) {
    for (const std::int64_t size : {border - 1, border, border + 1}) {
      const std::string jpeg = jpeg_with_header(size);
      ASSERT_EQ(std::ssize(jpeg), size + 13);
      EXPECT_EQ(pixels_in(jpeg, 0, std::ssize(jpeg)), size > kMost ? 0 : 35) << size;
    }
  }
}

TEST(PixelCount, UsesBytesThatWereReadBefore) {
  const std::string jpeg = jpeg_with_header(5000);
  const std::int64_t size = std::ssize(jpeg);
  for (const std::int64_t first : {std::int64_t{0}, std::int64_t{1}, kFirstHeaderBytes, size}) {
    const std::span<const std::byte> bytes =
        std::as_bytes(std::span(jpeg)).first(static_cast<std::size_t>(first));
    // The source has other bytes after the header, which are never read.
    const std::string rest = std::string(bytes.size(), 'x') + jpeg.substr(bytes.size());
    EXPECT_EQ(
        pixel_count_of(*memory_source(rest, "a"), 0, size, 1 << 20, {bytes.begin(), bytes.end()}),
        35);
  }
}

TEST(PixelCount, IsZeroForADamagedHeader) {
  const std::string jpeg = jpeg_with_header(5000);
  std::vector<std::int64_t> asked;
  const auto front = [&](std::int64_t size) {
    asked.push_back(size);
    return std::as_bytes(std::span(jpeg))
        .first(static_cast<std::size_t>(std::min<std::int64_t>(size, 4999)));
  };
  EXPECT_EQ(pixel_count_of(std::ssize(jpeg), front), 0);
  EXPECT_EQ(asked, (std::vector<std::int64_t>{4096, std::ssize(jpeg)}));
}

}  // namespace
}  // namespace sheaf::internal
