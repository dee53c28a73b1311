#include "image/pillow_bands.h"

#include <cassert>
#include <cstddef>

namespace sheaf::internal {
namespace {

ResizeAxis whole_axis(std::int64_t extent, std::int64_t made) noexcept {
  return {.extent = extent, .first = 0, .end = static_cast<float>(extent), .made = made};
}

}  // namespace

bool PillowBands::takes(const PixelRegion& region, std::int64_t to_width, std::int64_t to_height,
                        ResizeFilter filter) noexcept {
  return filter != ResizeFilter::nearest && whole_axis(region.width, to_width).changes() &&
         whole_axis(region.height, to_height).changes();
}

PillowBands::PillowBands(const PixelRegion& region, const PixelView<const std::uint8_t>& band,
                         const PixelView<std::uint8_t>& to, ResizeFilter filter,
                         ResizeMemory& memory)
    : rows_(whole_axis(region.height, to.height)),
      band_(band),
      to_(to),
      filter_(filter),
      memory_(memory),
      column_weights_(
          weights_of(whole_axis(region.width, to.width), filter, memory.integers, memory.doubles)),
      plan_(plan_rows(column_weights_, region.width, band.channels, memory)) {
  assert(takes(region, to.width, to.height, filter) && band.width == region.width);
  const std::int64_t count = to.width * to.channels;
  memory.bytes.resize(static_cast<std::size_t>(count * region.height));
  narrow_ = {memory.bytes.data(), to.width, region.height, to.channels, count};
}

void PillowBands::take(std::int64_t first, std::int64_t count) {
  PixelView<std::uint8_t> to = narrow_;
  to.values = narrow_.row(first);
  to.height = count;
  resize_rows(band_, 0, column_weights_, plan_, to, memory_);
}

void PillowBands::finish() {
  const AxisWeights weights = weights_of(rows_, filter_, memory_.integers, memory_.doubles);
  const PixelView<const std::uint8_t> rows = {narrow_.values, narrow_.width, narrow_.height,
                                              narrow_.channels, narrow_.row_stride};
  resize_columns(rows, 0, weights, to_, memory_);
}

}  // namespace sheaf::internal
