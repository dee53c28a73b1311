// Shows values as small pictures: heat maps and thumbnails.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/chunk.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// The maximum number of pixel rows and of columns in a picture.
inline constexpr std::int64_t kPictureMax = 64;

/// Grey levels: 0 stands for the value `low`, and 255 for `high`.
struct HeatMap {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  double low = 0;
  double high = 0;
  std::vector<std::byte> levels = {};  // row-major
};

/// Returns a heat map of a matrix of values. A cell has the mean of the values that it covers.
/// Non-finite values do not count. Returns nothing if all values are non-finite.
///
/// Pre: rows > 0 and columns > 0; `values` has rows * columns values of a type other than bytes.
[[nodiscard]] std::optional<HeatMap> heat_map(ElementType type, const std::byte* values,
                                              std::int64_t rows, std::int64_t columns);

/// Pixels of 3 bytes: red, green, blue.
struct Thumbnail {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::vector<std::byte> pixels = {};  // row-major
};

/// Returns a thumbnail of an encoded JPEG, PNG or WebP image. Returns nothing for other bytes, for
/// an image that cannot be decoded or is very large, and in a build without images.
[[nodiscard]] std::optional<Thumbnail> thumbnail_of(std::span<const std::byte> encoded);

/// Returns a thumbnail of a decoded image. `extents` are the extents of the sample: height, width,
/// channels, or channels, height, width. Returns nothing for other extents; an image has 1 or 3
/// channels. Bytes are colours from 0 to 255. Other values are scaled to the full range.
[[nodiscard]] std::optional<Thumbnail> thumbnail_of(ElementType type,
                                                    std::span<const std::int64_t> extents,
                                                    const std::byte* values);

}  // namespace sheaf::internal
