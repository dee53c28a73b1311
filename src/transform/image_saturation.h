/// \file
/// Changes the saturation of colors.

#pragma once

#include "image/pixels.h"

namespace sheaf::internal {

/// Multiplies the saturation of each pixel by `ratio`, with a limit of 1. Converts to HSV and back
/// with the formulas of OpenCV's cvtColor() for f32. Values are from 0 to 255.
///
/// The order of the channels, BGR or RGB, affects only rounding.
///
/// Pre: three channels; ratio >= 0.
void scale_saturation(const PixelView<float>& image, float ratio) noexcept;

}  // namespace sheaf::internal
