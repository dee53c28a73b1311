// Writes a minimal PNG: a header, a palette if a pixel is one byte, the rows compressed by zlib,
// and the end.

#include "ops/report/page_image.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <vector>

#include <zlib.h>

#include "sheaf/error.h"

#include "base/base64.h"
#include "base/text.h"

namespace sheaf::internal::page {
namespace {

struct PaletteColor {
  int red;
  int green;
  int blue;
};

// The lightness rises evenly, so that a print in grey shows the same picture.
constexpr std::array<PaletteColor, 6> kHeatStops = {{
    {18, 20, 58},     // 0
    {44, 68, 136},    // 51
    {46, 122, 150},   // 102
    {92, 170, 130},   // 153
    {198, 204, 96},   // 204
    {253, 247, 206},  // 255
}};

constexpr PaletteColor kShareColor = {47, 111, 176};
constexpr int kLevelMax = 255;

PaletteColor heat_color(int level) {
  constexpr int kStep = kLevelMax / (static_cast<int>(kHeatStops.size()) - 1);
  const int low = std::min(level / kStep, static_cast<int>(kHeatStops.size()) - 2);
  const auto stop = static_cast<std::size_t>(low);
  const PaletteColor a = kHeatStops[stop];
  const PaletteColor b = kHeatStops[stop + 1];
  const int part = level - low * kStep;
  const auto mixed = [part](int from, int to) { return from + (to - from) * part / kStep; };
  return {mixed(a.red, b.red), mixed(a.green, b.green), mixed(a.blue, b.blue)};
}

void append_big_endian(std::string& out, std::uint32_t number) {
  for (const int shift : {24, 16, 8, 0}) {
    out += static_cast<char>((number >> static_cast<unsigned>(shift)) & 0xFFU);
  }
}

void append_png_part(std::string& png, std::string_view kind, std::string_view content) {
  append_big_endian(png, static_cast<std::uint32_t>(content.size()));
  std::string part(kind);
  part += content;
  png += part;
  const auto* const bytes = reinterpret_cast<const Bytef*>(part.data());
  append_big_endian(png,
                    static_cast<std::uint32_t>(crc32(0, bytes, static_cast<uInt>(part.size()))));
}

void append_palette(std::string& png, Palette palette) {
  std::string colors;
  std::string opacities;
  for (int level = 0; level <= kLevelMax; ++level) {
    const PaletteColor color = palette == Palette::heat ? heat_color(level) : kShareColor;
    for (const int part : {color.red, color.green, color.blue}) colors += static_cast<char>(part);
    opacities += static_cast<char>(level);
  }
  append_png_part(png, "PLTE", colors);
  if (palette == Palette::shares) append_png_part(png, "tRNS", opacities);
}

// Each row begins with a byte that means "no filter".
std::string packed_rows(const Picture& picture, std::size_t row_bytes) {
  std::vector<Bytef> rows;
  rows.reserve(static_cast<std::size_t>(picture.height) * (row_bytes + 1));
  for (int y = 0; y < picture.height; ++y) {
    rows.push_back(0);
    for (const std::byte each :
         picture.pixels.subspan(static_cast<std::size_t>(y) * row_bytes, row_bytes)) {
      rows.push_back(static_cast<Bytef>(each));
    }
  }
  uLongf size = compressBound(static_cast<uLong>(rows.size()));
  std::string packed(size, '\0');
  const int result = compress2(reinterpret_cast<Bytef*>(packed.data()), &size, rows.data(),
                               static_cast<uLong>(rows.size()), Z_BEST_COMPRESSION);
  if (result != Z_OK) throw InternalError("zlib: a picture of a report does not compress");
  packed.resize(size);
  return packed;
}

}  // namespace

std::string png_of(const Picture& picture) {
  const std::size_t row_bytes =
      static_cast<std::size_t>(picture.width) * (picture.palette == Palette::rgb ? 3 : 1);
  assert(picture.width > 0 && picture.height > 0);
  assert(picture.pixels.size() == row_bytes * static_cast<std::size_t>(picture.height));
  const bool has_palette = picture.palette == Palette::heat || picture.palette == Palette::shares;
  std::string png = "\x89PNG\r\n\x1a\n";
  std::string header;
  append_big_endian(header, static_cast<std::uint32_t>(picture.width));
  append_big_endian(header, static_cast<std::uint32_t>(picture.height));
  header += '\x08';  // bits per channel
  header += has_palette ? '\x03' : picture.palette == Palette::rgb ? '\x02' : '\x00';
  header += std::string(3, '\0');  // default compression and filters, no interlacing
  append_png_part(png, "IHDR", header);
  if (has_palette) append_palette(png, picture.palette);
  append_png_part(png, "IDAT", packed_rows(picture, row_bytes));
  append_png_part(png, "IEND", {});
  return png;
}

std::string image_html(const Picture& picture, std::string_view css_class, std::string_view alt) {
  const std::string png = png_of(picture);
  std::string text;
  append_base64(std::as_bytes(std::span(png)), text);
  return formatted(
      "<img class=\"{}\" width=\"{}\" height=\"{}\" alt=\"{}\" "
      "src=\"data:image/png;base64,{}\">",
      css_class, picture.width, picture.height, alt, text);
}

}  // namespace sheaf::internal::page
