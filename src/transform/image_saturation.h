/// \file
/// The saturation of colors.

#pragma once

#include "image/pixels.h"

namespace sheaf::internal {

/// Multiplies the saturation of each pixel by `ratio`; a saturation above 1 becomes 1. The colors
/// go to HSV and back by the formulas of OpenCV's cvtColor() for f32, from values of 0 to 255.
///
/// The order of the channels, BGR or RGB, makes no difference but for rounding.
///
/// Pre: three channels; ratio >= 0.
void scale_saturation(const PixelView<float>& image, float ratio) noexcept;

}  // namespace sheaf::internal
