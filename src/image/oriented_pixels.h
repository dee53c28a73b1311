/// \file
/// Moves stored rows of an image to their location in the oriented image.

#pragma once

#include <cstdint>

#include "image/pixels.h"

namespace sheaf::internal {

/// Returns the stored pixels that become `region` after `orientation` is applied.
///
/// Pre: the extents are those of the stored image; the region lies in the oriented image.
[[nodiscard]] PixelRegion stored_region(const PixelRegion& region, std::int64_t stored_width,
                                        std::int64_t stored_height, int orientation) noexcept;

/// The pixels of a region, filled by stored rows.
class OrientedPixels {
 public:
  /// Pre: `pixels` has the extents of the region after `orientation`, from 1 to 8, is applied.
  OrientedPixels(const PixelView<std::uint8_t>& pixels, int orientation) noexcept;

  /// Returns the address of a stored row, or null if put_row() is needed.
  [[nodiscard]] std::uint8_t* direct_row(std::int64_t y) const noexcept {
    return step_x_ == channels_ ? first_ + y * step_y_ : nullptr;
  }

  /// Copies the stored row `y`, counted from the beginning of the region. Does not copy a row that
  /// already has its address.
  void put_row(std::int64_t y, const std::uint8_t* row) const noexcept;

  /// Return the extents and channels of the region as stored.
  [[nodiscard]] std::int64_t width() const noexcept { return width_; }
  [[nodiscard]] std::int64_t height() const noexcept { return height_; }
  [[nodiscard]] std::int64_t channels() const noexcept { return channels_; }

 private:
  std::uint8_t* first_;  // address of the first stored pixel
  std::int64_t step_x_;  // values from a stored pixel to its right neighbour
  std::int64_t step_y_;  // values from a stored pixel to its lower neighbour
  std::int64_t width_;
  std::int64_t height_;
  std::int64_t channels_;
};

}  // namespace sheaf::internal
