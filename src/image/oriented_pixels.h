/// \file
/// Stored rows of an image to where its orientation puts them.

#pragma once

#include <cstdint>

#include "image/pixels.h"

namespace sheaf::internal {

/// Returns the stored pixels that become `region` once `orientation` is applied.
///
/// Pre: the extents are those that are stored; the region lies in the oriented image.
[[nodiscard]] PixelRegion stored_region(const PixelRegion& region, std::int64_t stored_width,
                                        std::int64_t stored_height, int orientation) noexcept;

/// The pixels of a region, filled row by row as they are stored.
class OrientedPixels {
 public:
  /// Pre: `pixels` has the extents of the region after `orientation`, from 1 to 8, is applied.
  OrientedPixels(const PixelView<std::uint8_t>& pixels, int orientation) noexcept;

  /// Returns where a stored row lies, or null: then it goes through put_row().
  [[nodiscard]] std::uint8_t* direct_row(std::int64_t y) const noexcept {
    return step_x_ == channels_ ? first_ + y * step_y_ : nullptr;
  }

  /// Copies the stored row `y`, counted from the beginning of the region. A row that lies at its
  /// place already stays there.
  void put_row(std::int64_t y, const std::uint8_t* row) const noexcept;

  /// The extents and channels of the region as it is stored.
  [[nodiscard]] std::int64_t width() const noexcept { return width_; }
  [[nodiscard]] std::int64_t height() const noexcept { return height_; }
  [[nodiscard]] std::int64_t channels() const noexcept { return channels_; }

 private:
  std::uint8_t* first_;  // of the first stored pixel
  std::int64_t step_x_;  // values from a stored pixel to the one right of it
  std::int64_t step_y_;  // and to the one below it
  std::int64_t width_;
  std::int64_t height_;
  std::int64_t channels_;
};

}  // namespace sheaf::internal
