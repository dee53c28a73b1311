#include "ops/report/page_image.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

#include "ops/report/html_walk.h"
#include "ops/report/report_examples.h"

namespace sheaf::internal::page {
namespace {

struct PngPart {
  std::string kind;
  std::string content;
};

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    number = (number << 8U) | static_cast<unsigned char>(bytes[at + i]);
  }
  return number;
}

// Reads the parts of a PNG, and checks their checksums.
std::vector<PngPart> parts_of(std::string_view png) {
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  std::vector<PngPart> parts;
  std::size_t at = 8;
  while (at + 12 <= png.size()) {
    const std::size_t size = number_at(png, at);
    const std::string_view summed = png.substr(at + 4, size + 4);
    EXPECT_EQ(
        crc32(0, reinterpret_cast<const Bytef*>(summed.data()), static_cast<uInt>(summed.size())),
        number_at(png, at + 8 + size));
    parts.push_back({std::string(summed.substr(0, 4)), std::string(summed.substr(4))});
    at += size + 12;
  }
  EXPECT_EQ(at, png.size());
  return parts;
}

std::string unpacked(const std::string& content, std::size_t size) {
  std::string rows(size + 1, '\0');
  auto unpacked_size = static_cast<uLongf>(rows.size());
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(rows.data()), &unpacked_size,
                       reinterpret_cast<const Bytef*>(content.data()),
                       static_cast<uLong>(content.size())),
            Z_OK);
  rows.resize(unpacked_size);
  return rows;
}

std::vector<std::byte> counting_bytes(int count) {
  std::vector<std::byte> bytes;
  for (int i = 0; i < count; ++i) bytes.push_back(static_cast<std::byte>(i));
  return bytes;
}

TEST(PageImage, AColourImageHasItsRowsAndSize) {
  const std::vector<std::byte> pixels = counting_bytes(2 * 3 * 3);
  const std::vector<PngPart> parts = parts_of(png_of({3, 2, Palette::rgb, pixels}));
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].kind, "IHDR");
  EXPECT_EQ(number_at(parts[0].content, 0), 3U);
  EXPECT_EQ(number_at(parts[0].content, 4), 2U);
  EXPECT_EQ(parts[0].content.substr(8), std::string("\x08\x02\0\0\0", 5));
  const std::string rows = unpacked(parts[1].content, 20);
  ASSERT_EQ(rows.size(), 20U);
  EXPECT_EQ(rows[0], 0);
  EXPECT_EQ(std::memcmp(rows.data() + 1, pixels.data(), 9), 0);
  EXPECT_EQ(rows[10], 0);
  EXPECT_EQ(std::memcmp(rows.data() + 11, pixels.data() + 9, 9), 0);
  EXPECT_EQ(parts[2].kind, "IEND");
}

TEST(PageImage, AHeatMapHasAPaletteThatGrowsLighter) {
  const std::vector<std::byte> pixels = counting_bytes(256);
  const std::vector<PngPart> parts = parts_of(png_of({16, 16, Palette::heat, pixels}));
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[1].kind, "PLTE");
  ASSERT_EQ(parts[1].content.size(), 768U);
  int last = -1;
  for (std::size_t level = 0; level < 256; ++level) {
    const auto part = [&](std::size_t i) {
      return static_cast<int>(static_cast<unsigned char>(parts[1].content[3 * level + i]));
    };
    const int lightness = 2126 * part(0) + 7152 * part(1) + 722 * part(2);
    EXPECT_GE(lightness, last) << level;
    last = lightness;
  }
}

TEST(PageImage, SharesAreTransparent) {
  const std::vector<std::byte> pixels = counting_bytes(4);
  const std::vector<PngPart> parts = parts_of(png_of({4, 1, Palette::shares, pixels}));
  ASSERT_EQ(parts.size(), 5U);
  EXPECT_EQ(parts[2].kind, "tRNS");
  EXPECT_EQ(parts[2].content.front(), '\0');
  EXPECT_EQ(parts[2].content.back(), '\xFF');
}

TEST(PageImage, GrayImagesUseOneByteAPixel) {
  const std::vector<std::byte> pixels = counting_bytes(6);
  const std::vector<PngPart> parts = parts_of(png_of({3, 2, Palette::gray, pixels}));
  EXPECT_EQ(parts[0].content[9], '\0');
  EXPECT_EQ(unpacked(parts[1].content, 8).size(), 8U);
}

TEST(PageImage, TheElementHasASizeAndAText) {
  const std::vector<std::byte> pixels = counting_bytes(6);
  const testing::HtmlWalk walk(image_html({3, 2, Palette::gray, pixels}, "thumb", "a cat"));
  EXPECT_EQ(walk.wrong(), "");
  EXPECT_EQ(walk.values_of("width"), std::vector<std::string>{"3"});
  EXPECT_EQ(walk.values_of("height"), std::vector<std::string>{"2"});
  EXPECT_EQ(walk.values_of("alt"), std::vector<std::string>{"a cat"});
}

}  // namespace
}  // namespace sheaf::internal::page
