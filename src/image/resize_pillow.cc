// Resizes with the arithmetic of Pillow: weights in doubles, rounded to fixed point with 22 bits; a
// horizontal pass, and then a vertical one.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "image/pillow_axis.h"
#include "image/resize.h"
#include "image/resize_passes.h"

namespace sheaf::internal {
namespace {

void copy(const PixelView<const std::uint8_t>& from, const PixelView<std::uint8_t>& to) noexcept {
  for (std::int64_t y = 0; y < to.height; ++y) {
    std::copy_n(from.row(y), to.width * to.channels, to.row(y));
  }
}

void resize_to_nearest(const PixelView<const std::uint8_t>& from, const ResizeAxis& columns,
                       const ResizeAxis& rows, const PixelView<std::uint8_t>& to,
                       std::vector<std::int32_t>& offsets) {
  offsets.resize(static_cast<std::size_t>(to.width));
  visit_nearest(columns, [&](std::int64_t x, std::int64_t source) {
    offsets[static_cast<std::size_t>(x)] = static_cast<std::int32_t>(source * from.channels);
  });
  visit_nearest(rows, [&](std::int64_t y, std::int64_t source) {
    const std::uint8_t* const row = from.row(source);
    std::uint8_t* out = to.row(y);
    for (const std::int32_t offset : offsets) {
      for (std::int64_t c = 0; c < to.channels; ++c) *out++ = row[offset + c];
    }
  });
}

ResizeAxis columns_of(std::int64_t width, const ResizeBox& box, std::int64_t made) noexcept {
  return {.extent = width,
          .first = static_cast<float>(box[0]),
          .end = static_cast<float>(box[2]),
          .made = made};
}
ResizeAxis rows_of(std::int64_t height, const ResizeBox& box, std::int64_t made) noexcept {
  return {.extent = height,
          .first = static_cast<float>(box[1]),
          .end = static_cast<float>(box[3]),
          .made = made};
}

}  // namespace

void resize_as_pillow(const PixelView<const std::uint8_t>& from, const ResizeBox& box,
                      const PixelView<std::uint8_t>& to, ResizeFilter filter,
                      ResizeMemory& memory) {
  const ResizeAxis columns = columns_of(from.width, box, to.width);
  const ResizeAxis rows = rows_of(from.height, box, to.height);
  if (filter == ResizeFilter::nearest) {
    resize_to_nearest(from, columns, rows, to, memory.integers);
    return;
  }
  if (!columns.changes() && !rows.changes()) {
    copy(from, to);
    return;
  }
  if (!rows.changes()) {
    const AxisWeights weights = weights_of(columns, filter, memory.integers, memory.doubles);
    resize_rows(from, 0, weights, to, memory);
    return;
  }
  PixelView<const std::uint8_t> narrow = from;
  std::int64_t first_row = 0;
  if (columns.changes()) {
    const AxisSources needed = sources_of(rows, filter);
    const std::int64_t count = to.width * to.channels;
    memory.bytes.resize(static_cast<std::size_t>(count * needed.count));
    const PixelView<std::uint8_t> made = {memory.bytes.data(), to.width, needed.count, to.channels,
                                          count};
    const AxisWeights weights = weights_of(columns, filter, memory.integers, memory.doubles);
    resize_rows(from, needed.first, weights, made, memory);
    narrow = {made.values, made.width, made.height, made.channels, made.row_stride};
    first_row = needed.first;
  }
  const AxisWeights weights = weights_of(rows, filter, memory.integers, memory.doubles);
  resize_columns(narrow, first_row, weights, to, memory);
}

PixelRegion read_by_pillow(std::int64_t width, std::int64_t height, const ResizeBox& box,
                           std::int64_t to_width, std::int64_t to_height, ResizeFilter filter) {
  const AxisSources columns = sources_of(columns_of(width, box, to_width), filter);
  const AxisSources rows = sources_of(rows_of(height, box, to_height), filter);
  return {columns.first, rows.first, columns.count, rows.count};
}

}  // namespace sheaf::internal
