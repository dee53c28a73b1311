// Values as small pictures: grey levels, thumbnails.

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

/// The most rows and columns of a picture.
inline constexpr std::int64_t kPictureMax = 64;

/// Grey levels: 0 stands for the value `low`, and 255 for `high`.
struct HeatMap {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  double low = 0;
  double high = 0;
  std::vector<std::byte> levels = {};  // row after row
};

/// Returns a heat map of a matrix of values. A cell has the mean of the values that it covers.
/// Values that are not finite do not count. Returns nothing where no value counts.
///
/// Pre: rows > 0 and columns > 0; `values` has rows * columns values of a type other than bytes.
[[nodiscard]] std::optional<HeatMap> heat_map(ElementType type, const std::byte* values,
                                              std::int64_t rows, std::int64_t columns);

/// Pixels of 3 bytes: red, green, blue.
struct Thumbnail {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::vector<std::byte> pixels = {};  // row after row
};

/// Returns a thumbnail of an encoded image: JPEG, PNG or WebP. Returns nothing for other bytes, for
/// an image that cannot be decoded, for a very large one, and where sheaf was built without images.
[[nodiscard]] std::optional<Thumbnail> thumbnail_of(std::span<const std::byte> encoded);

/// Returns a thumbnail of a decoded image. `extents` are those of the sample: height, width and
/// channels, or channels, height and width. Returns nothing where they are not: there are 1 or 3
/// channels. Bytes are colours from 0 to 255, and other values are scaled to fit.
[[nodiscard]] std::optional<Thumbnail> thumbnail_of(ElementType type,
                                                    std::span<const std::int64_t> extents,
                                                    const std::byte* values);

}  // namespace sheaf::internal
