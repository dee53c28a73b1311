/// \file
/// The two passes of a resize as Pillow does it.

#pragma once

#include <cstdint>

#include "image/pillow_axis.h"
#include "image/pixels.h"
#include "image/resize.h"

namespace sheaf::internal {

/// Resizes along the rows: rows from `first_row` on, as many as `to` has. All sets of instructions
/// give the same bits.
///
/// Pre: weights.made is the width of `to`; the images have one number of channels.
void resize_rows(const PixelView<const std::uint8_t>& from, std::int64_t first_row,
                 const AxisWeights& weights, const PixelView<std::uint8_t>& to,
                 ResizeMemory& memory);

/// Resizes along the columns. Row 0 of `from` is row `first_row` of the whole.
///
/// Pre: weights.made is the height of `to`; the images have one width and number of channels.
void resize_columns(const PixelView<const std::uint8_t>& from, std::int64_t first_row,
                    const AxisWeights& weights, const PixelView<std::uint8_t>& to,
                    ResizeMemory& memory);

#if defined(__x86_64__)
/// The same with AVX2. They return false, and change nothing, where they are not made for the
/// weights or the channels.
[[nodiscard]] bool resize_rows_avx2(const PixelView<const std::uint8_t>& from,
                                    std::int64_t first_row, const AxisWeights& weights,
                                    const PixelView<std::uint8_t>& to, ResizeMemory& memory);
[[nodiscard]] bool resize_columns_avx2(const PixelView<const std::uint8_t>& from,
                                       std::int64_t first_row, const AxisWeights& weights,
                                       const PixelView<std::uint8_t>& to);
#endif

}  // namespace sheaf::internal
