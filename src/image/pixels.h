/// \file
/// Images in memory.

#pragma once

#include <cstdint>

namespace sheaf::internal {

/// The pixels of an image, or of a part of one. Rows run from top to bottom. The channels of a
/// pixel are adjacent.
///
/// Lifetime: that of the values.
template <typename T>
struct PixelView {
  T* values = nullptr;
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t channels = 0;
  // Values from the beginning of a row of pixels to that of the next row.
  std::int64_t row_stride = 0;

  [[nodiscard]] T* row(std::int64_t y) const noexcept { return values + y * row_stride; }
};

/// A rectangle of an image, in pixels.
struct PixelRegion {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;

  friend bool operator==(const PixelRegion&, const PixelRegion&) = default;
};

}  // namespace sheaf::internal
