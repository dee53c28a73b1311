/// \file
/// Resizes images that are decoded in bands of rows.

#pragma once

#include <cstdint>

#include "image/image_decoder.h"
#include "image/pillow_axis.h"
#include "image/resize.h"
#include "image/resize_passes.h"

namespace sheaf::internal {

/// Resizes a region as resize_as_pillow() does, band by band. Only keeps the resized rows.
class PillowBands final : public RowBands {
 public:
  /// Returns whether a resize can work in bands: both extents change, and the filter is not
  /// `nearest`.
  [[nodiscard]] static bool takes(const PixelRegion& region, std::int64_t to_width,
                                  std::int64_t to_height, ResizeFilter filter) noexcept;

  /// Pre:      takes() is true; `band` has the width of the region, and kBandRows rows.
  /// Lifetime: the object refers to the pixels and the memory.
  PillowBands(const PixelRegion& region, const PixelView<const std::uint8_t>& band,
              const PixelView<std::uint8_t>& to, ResizeFilter filter, ResizeMemory& memory);

  void take(std::int64_t first, std::int64_t count) override;

  /// Computes the pixels of the result.
  ///
  /// Pre: all bands have been taken.
  void finish();

 private:
  ResizeAxis rows_;
  PixelView<const std::uint8_t> band_;
  PixelView<std::uint8_t> to_;
  ResizeFilter filter_;
  ResizeMemory& memory_;
  AxisWeights column_weights_;
  RowsPlan plan_;
  PixelView<std::uint8_t> narrow_;  // rows of the region, resized horizontally
};

}  // namespace sheaf::internal
