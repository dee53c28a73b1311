#include "image/made_images.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace sheaf::internal {

using std::string_literals::operator""s;

std::string little(std::uint64_t value, std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(value >> 8 * i & 0xFF);
  return bytes;
}

std::string big(std::uint64_t value, std::size_t count) {
  const std::string reversed = little(value, count);
  return {reversed.rbegin(), reversed.rend()};
}

std::string made_exif(int orientation, bool is_little) {
  const auto number = is_little ? little : big;
  const auto value = static_cast<std::uint64_t>(orientation);
  return (is_little ? "II" : "MM") + number(42, 2) + number(8, 4) + number(2, 2) +
         number(0x0100, 2) + number(4, 2) + number(1, 4) + number(640, 4) +  // ImageWidth
         number(0x0112, 2) + number(3, 2) + number(1, 4) + number(value, 2) + number(0, 2) +
         number(0, 4);
}

std::string jpeg_segment(char code, const std::string& contents) {
  return std::string("\xff") + code + big(contents.size() + 2, 2) + contents;
}

std::string jpeg_frame(int width, int height, int components, int depth) {
  std::string frame =
      big(static_cast<std::uint64_t>(depth), 1) + big(static_cast<std::uint64_t>(height), 2) +
      big(static_cast<std::uint64_t>(width), 2) + big(static_cast<std::uint64_t>(components), 1);
  for (int i = 0; i < components; ++i) frame += std::string("\x01\x11\x00", 3);
  return frame;
}

std::string jpeg_with_header(std::int64_t size) {
  constexpr std::int64_t kSegmentMax = 65'537;
  const std::string extents = "\xFF\xC0\0\x0B\x08\0\7\0\5\1\1\x11\0"s;
  const std::string scan = "\xFF\xDA\0\x08\1\1\0\0\x3F\0"s;
  constexpr std::int64_t kFrameBytes = 10;  // marker, length, depth and extents
  std::int64_t left = size - 2 - kFrameBytes;
  std::string jpeg = "\xFF\xD8"s;
  while (left > 0) {  // application segments of at least 4 bytes
    const std::int64_t part = left > kSegmentMax ? std::min(kSegmentMax, left - 4) : left;
    jpeg += "\xFF\xE2"s + static_cast<char>((part - 2) >> 8) + static_cast<char>((part - 2) & 255);
    jpeg += std::string(static_cast<std::size_t>(part - 4), '\0');
    left -= part;
  }
  return jpeg + extents + scan;
}

std::string png_chunk(std::string_view type, const std::string& contents) {
  return big(contents.size(), 4) + std::string(type) + contents + big(0, 4);
}

std::string png_header(std::uint64_t width, std::uint64_t height, int depth, int color_type,
                       int interlace) {
  return "\x89PNG\r\n\x1a\n" +
         png_chunk("IHDR", big(width, 4) + big(height, 4) +
                               big(static_cast<std::uint64_t>(depth), 1) +
                               big(static_cast<std::uint64_t>(color_type), 1) + big(0, 2) +
                               big(static_cast<std::uint64_t>(interlace), 1));
}

std::string webp_file(const std::string& chunks) {
  return "RIFF" + little(chunks.size() + 4, 4) + "WEBP" + chunks;
}

std::string webp_chunk(std::string_view type, const std::string& contents) {
  return std::string(type) + little(contents.size(), 4) + contents +
         std::string(contents.size() % 2, '\0');
}

std::string image_file(std::string_view name) {
  std::ifstream file(SHEAF_IMAGES_DIR "/" + std::string(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

}  // namespace sheaf::internal
