#include "image/oriented_pixels.h"

#include <cassert>
#include <cstddef>
#include <cstring>
#include <utility>

namespace sheaf::internal {
namespace {

/// How to get from stored to oriented pixels. The axes are swapped first, and then mirrored.
struct Turn {
  bool is_swapped;
  bool is_right_to_left;  // the stored x axis is reversed
  bool is_bottom_to_top;  // the stored y axis is reversed
};

Turn turn_of(int orientation) noexcept {
  assert(orientation >= 1 && orientation <= 8);
  return {.is_swapped = orientation >= 5,
          .is_right_to_left =
              orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8,
          .is_bottom_to_top =
              orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7};
}

}  // namespace

PixelRegion stored_region(const PixelRegion& region, std::int64_t stored_width,
                          std::int64_t stored_height, int orientation) noexcept {
  const Turn turn = turn_of(orientation);
  PixelRegion stored = region;
  if (turn.is_swapped) {
    std::swap(stored.x, stored.y);
    std::swap(stored.width, stored.height);
  }
  if (turn.is_right_to_left) stored.x = stored_width - stored.x - stored.width;
  if (turn.is_bottom_to_top) stored.y = stored_height - stored.y - stored.height;
  return stored;
}

OrientedPixels::OrientedPixels(const PixelView<std::uint8_t>& pixels, int orientation) noexcept
    : first_(pixels.values),
      step_x_(pixels.channels),
      step_y_(pixels.row_stride),
      width_(pixels.width),
      height_(pixels.height),
      channels_(pixels.channels) {
  const Turn turn = turn_of(orientation);
  if (turn.is_swapped) {
    std::swap(step_x_, step_y_);
    std::swap(width_, height_);
  }
  if (turn.is_right_to_left) {
    first_ += (width_ - 1) * step_x_;
    step_x_ = -step_x_;
  }
  if (turn.is_bottom_to_top) {
    first_ += (height_ - 1) * step_y_;
    step_y_ = -step_y_;
  }
}

void OrientedPixels::put_row(std::int64_t y, const std::uint8_t* row) const noexcept {
  std::uint8_t* to = first_ + y * step_y_;
  if (step_x_ == channels_) {
    if (to != row) std::memcpy(to, row, static_cast<std::size_t>(width_ * channels_));
    return;
  }
  for (std::int64_t x = 0; x < width_; ++x, to += step_x_) {
    for (std::int64_t channel = 0; channel < channels_; ++channel) to[channel] = *row++;
  }
}

}  // namespace sheaf::internal
