/// \file
/// Interpolates 8-bit images linearly by the rules of OpenCV, with vector instructions.

#pragma once

#include <cstdint>
#include <span>

#include "image/pixels.h"
#include "image/resize.h"

namespace sheaf::internal {

#if defined(__x86_64__)
/// Resizes with AVX2. Returns false and changes nothing for images that it does not support: those
/// with more than four channels, or with fewer than 32 values in a row of pixels.
///
/// Pre: `columns` has an entry for each column of `to`, and `rows` one for each row; sources lie in
///      the image; the two sources of a column are neighbours or the same pixel.
[[nodiscard]] bool resize_linear_avx2(const PixelView<const std::uint8_t>& from,
                                      std::span<const LinearTap> columns,
                                      std::span<const LinearTap> rows,
                                      const PixelView<std::uint8_t>& to, ResizeMemory& memory);
#endif

}  // namespace sheaf::internal
