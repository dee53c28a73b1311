// A picture has at most kPictureMax pixels a side. Small pictures keep their size, because the page
// scales them up. A cell of a heat map is the mean of its values. An image becomes bytes of three
// colours first, and then Pillow's box filter shrinks the image. So a decoded image of bytes gets
// the thumbnail of the encoded one.
//
// cli/output/picture.cc draws pictures of characters by other rules, and says why.

#include "ops/report/pictures.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/unaligned.h"
#include "core/element_cast.h"
#include "image/image_decoder.h"
#include "image/image_header.h"
#include "image/pixels.h"
#include "image/resize.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kDecodedPixelsMax = std::int64_t{1} << 26;
constexpr std::int64_t kColors = 3;

double value_at(ElementType type, const std::byte* values, std::int64_t i) {
  return with_zero_of(type, [&](auto zero) {
    return static_cast<double>(arithmetic(load<decltype(zero)>(values, i)));
  });
}

struct FiniteRange {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  [[nodiscard]] bool has_any() const noexcept { return low <= high; }

  [[nodiscard]] std::uint8_t level(double value) const {
    if (!std::isfinite(value)) return 0;
    const double size = high / 2 - low / 2;  // halves keep the difference finite
    if (size <= 0) return 128;
    const double part = (value / 2 - low / 2) / size;
    return static_cast<std::uint8_t>(std::lround(255 * std::clamp(part, 0.0, 1.0)));
  }
};

// The extents of the picture of an image: as large as allowed, but never larger than the image.
struct PictureSize {
  std::int64_t width;
  std::int64_t height;
};

PictureSize picture_size(std::int64_t width, std::int64_t height) {
  const std::int64_t longer = std::max(width, height);
  if (longer <= kPictureMax) return {width, height};
  const auto fit = [&](std::int64_t extent) {
    return std::max<std::int64_t>(1, (extent * kPictureMax + longer / 2) / longer);
  };
  return {fit(width), fit(height)};
}

Thumbnail resized(std::vector<std::uint8_t>& pixels, std::int64_t width, std::int64_t height) {
  const PictureSize size = picture_size(width, height);
  Thumbnail thumbnail{.width = size.width, .height = size.height};
  thumbnail.pixels.resize(static_cast<std::size_t>(size.width * size.height * kColors));
  ResizeMemory memory;
  const PixelView<const std::uint8_t> from{pixels.data(), width, height, kColors, width * kColors};
  const PixelView<std::uint8_t> to{reinterpret_cast<std::uint8_t*>(thumbnail.pixels.data()),
                                   size.width, size.height, kColors, size.width * kColors};
  resize_as_pillow(from, {0, 0, static_cast<double>(width), static_cast<double>(height)}, to,
                   ResizeFilter::box, memory);
  return thumbnail;
}

/// The locations of the pixel values in a sample.
struct PixelLayout {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t channels = 0;
  std::int64_t row_step = 0;  // values from one pixel row to the next; below, from one column or
                              // channel to the next
  std::int64_t column_step = 0;
  std::int64_t channel_step = 0;
};

bool is_channels(std::int64_t extent) { return extent == 1 || extent == kColors; }

std::optional<PixelLayout> layout_of(std::span<const std::int64_t> extents) {
  constexpr std::int64_t kSideMin = 4;
  if (extents.size() != 3) return std::nullopt;
  PixelLayout layout;
  if (is_channels(extents[2])) {
    layout = {extents[0], extents[1], extents[2], extents[1] * extents[2], extents[2], 1};
  } else if (is_channels(extents[0])) {
    layout = {extents[1], extents[2], extents[0], extents[2], 1, extents[1] * extents[2]};
  }
  const bool is_image = layout.width >= kSideMin && layout.height >= kSideMin &&
                        layout.width <= kDecodedPixelsMax / layout.height;
  return is_image ? std::optional(layout) : std::nullopt;
}

}  // namespace

std::optional<HeatMap> heat_map(ElementType type, const std::byte* values, std::int64_t rows,
                                std::int64_t columns) {
  HeatMap map{.rows = std::min(rows, kPictureMax), .columns = std::min(columns, kPictureMax)};
  const auto cells = static_cast<std::size_t>(map.rows * map.columns);
  std::vector<double> sums(cells);
  std::vector<std::int64_t> counts(cells);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      const double value = value_at(type, values, row * columns + column);
      if (!std::isfinite(value)) continue;
      const std::int64_t to_row = row * map.rows / rows;
      const auto cell =
          static_cast<std::size_t>(to_row * map.columns + column * map.columns / columns);
      sums[cell] += value;
      ++counts[cell];
    }
  }
  FiniteRange range;
  for (std::size_t i = 0; i < cells; ++i) {
    sums[i] = counts[i] > 0 ? sums[i] / static_cast<double>(counts[i])
                            : std::numeric_limits<double>::quiet_NaN();
    range.add(sums[i]);
  }
  if (!range.has_any()) return std::nullopt;
  map.low = range.low;
  map.high = range.high;
  for (const double each : sums) map.levels.push_back(std::byte{range.level(each)});
  return map;
}

std::optional<Thumbnail> thumbnail_of(std::span<const std::byte> encoded) {
  ImageHeader header;
  ImageProblem problem;
  if (!has_image_decoders() || !read_image_header(encoded, header, problem)) return std::nullopt;
  if (header.width() > kDecodedPixelsMax / header.height()) return std::nullopt;
  std::vector<std::uint8_t> pixels(
      static_cast<std::size_t>(header.width() * header.height() * kColors));
  const PixelView<std::uint8_t> view{pixels.data(), header.width(), header.height(), kColors,
                                     header.width() * kColors};
  const DecodeRequest request{.region = {0, 0, header.width(), header.height()}};
  std::vector<ImageProblem> warnings;
  ImageDecoder decoder;
  if (!decoder.decode(encoded, header, request, view, problem, warnings)) return std::nullopt;
  return resized(pixels, header.width(), header.height());
}

std::optional<Thumbnail> thumbnail_of(ElementType type, std::span<const std::int64_t> extents,
                                      const std::byte* values) {
  const std::optional<PixelLayout> layout = layout_of(extents);
  if (!layout) return std::nullopt;
  FiniteRange range;
  if (type == ElementType::u8) {
    range = {0, 255};
  } else {
    const std::int64_t count = layout->height * layout->width * layout->channels;
    for (std::int64_t i = 0; i < count; ++i) range.add(value_at(type, values, i));
  }
  if (!range.has_any()) return std::nullopt;
  std::vector<std::uint8_t> pixels;
  pixels.reserve(static_cast<std::size_t>(layout->height * layout->width * kColors));
  for (std::int64_t row = 0; row < layout->height; ++row) {
    for (std::int64_t column = 0; column < layout->width; ++column) {
      for (std::int64_t color = 0; color < kColors; ++color) {
        const std::int64_t channel = std::min(color, layout->channels - 1);
        const std::int64_t at =
            row * layout->row_step + column * layout->column_step + channel * layout->channel_step;
        pixels.push_back(range.level(value_at(type, values, at)));
      }
    }
  }
  return resized(pixels, layout->width, layout->height);
}

}  // namespace sheaf::internal
