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

/// How rows of one width are resized; made once for the rows of an image, with tables in the
/// memory.
struct RowsPlan {
  std::int64_t vector_pairs = 0;  // of taps, for AVX2; 0: without
};

/// Makes the plan for rows of so many pixels. The next plan in the same memory ends it.
[[nodiscard]] RowsPlan plan_rows(const AxisWeights& weights, std::int64_t from_width,
                                 std::int64_t channels, ResizeMemory& memory);

/// Resizes rows by a plan, as resize_rows() does.
void resize_rows(const PixelView<const std::uint8_t>& from, std::int64_t first_row,
                 const AxisWeights& weights, const RowsPlan& plan,
                 const PixelView<std::uint8_t>& to, ResizeMemory& memory);

#if defined(__x86_64__)
/// The same with AVX2. plan_rows_avx2() gives 0, and resize_columns_avx2() gives false, where they
/// are not made for the weights or the channels.
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
