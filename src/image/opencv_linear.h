/// \file
/// Linear interpolation of 8-bit images by the rules of OpenCV, with vector instructions.

#pragma once

#include <cstdint>
#include <span>

#include "image/pixels.h"
#include "image/resize.h"

namespace sheaf::internal {

#if defined(__x86_64__)
/// Resizes with AVX2. Returns false, and changes nothing, where it is not made for the images:
/// those of more than four channels, and of rows below 32 values.
///
/// Pre: `columns` has an entry for each column of `to`, and `rows` one for each row. Sources lie in
///      the image; those of a column are neighbours, or one pixel.
[[nodiscard]] bool resize_linear_avx2(const PixelView<const std::uint8_t>& from,
                                      std::span<const LinearTap> columns,
                                      std::span<const LinearTap> rows,
                                      const PixelView<std::uint8_t>& to, ResizeMemory& memory);
#endif

}  // namespace sheaf::internal
