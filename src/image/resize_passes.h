/// \file
/// The two passes of a Pillow resize.

#pragma once

#include <cstdint>

#include "image/pillow_axis.h"
#include "image/pixels.h"
#include "image/resize.h"

namespace sheaf::internal {

/// Resizes horizontally the rows from `first_row` on, as many as `to` has. The results are the same
/// with every instruction set.
///
/// Pre: weights.made is the width of `to`; the images have the same number of channels.
void resize_rows(const PixelView<const std::uint8_t>& from, std::int64_t first_row,
                 const AxisWeights& weights, const PixelView<std::uint8_t>& to,
                 ResizeMemory& memory);

/// Resizes vertically. Row 0 of `from` is row `first_row` of the whole image.
///
/// Pre: weights.made is the height of `to`; the images have the same width and number of channels.
void resize_columns(const PixelView<const std::uint8_t>& from, std::int64_t first_row,
                    const AxisWeights& weights, const PixelView<std::uint8_t>& to,
                    ResizeMemory& memory);

/// A plan for resizing rows of one width. It is made once for all rows of an image. Its tables are
/// in the memory.
struct RowsPlan {
  std::int64_t vector_pairs = 0;  // pairs of taps for AVX2; 0: no AVX2
};

/// Makes the plan for rows of `from_width` pixels. It is valid until the next plan in the same
/// memory.
[[nodiscard]] RowsPlan plan_rows(const AxisWeights& weights, std::int64_t from_width,
                                 std::int64_t channels, ResizeMemory& memory);

/// Resizes rows by a plan, as resize_rows() does.
void resize_rows(const PixelView<const std::uint8_t>& from, std::int64_t first_row,
                 const AxisWeights& weights, const RowsPlan& plan,
                 const PixelView<std::uint8_t>& to, ResizeMemory& memory);

#if defined(__x86_64__)
/// The same with AVX2. If they do not support the weights or the number of channels,
/// plan_rows_avx2() returns 0, and resize_columns_avx2() returns false.
[[nodiscard]] std::int64_t plan_rows_avx2(const AxisWeights& weights, std::int64_t from_width,
                                          std::int64_t channels, ResizeMemory& memory);
void resize_rows_avx2(const PixelView<const std::uint8_t>& from, std::int64_t first_row,
                      std::int64_t vector_pairs, const PixelView<std::uint8_t>& to,
                      ResizeMemory& memory);
[[nodiscard]] bool resize_columns_avx2(const PixelView<const std::uint8_t>& from,
                                       std::int64_t first_row, const AxisWeights& weights,
                                       const PixelView<std::uint8_t>& to);
#endif

}  // namespace sheaf::internal
