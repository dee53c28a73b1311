/// \file
/// Mirrors images.

#pragma once

#include "transform/image_operation.h"

namespace sheaf::internal {

/// Mirrors an image of any type: swaps left and right, or top and bottom.
///
/// Pre: the images have the same form and do not overlap.
void mirror_pixels(const AnyPixels& from, bool is_vertical, const AnyPixels& to) noexcept;

}  // namespace sheaf::internal
