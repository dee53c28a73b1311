/// \file
/// Resizes images.

#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "image/pixels.h"
#include "image/row_program.h"

namespace sheaf::internal {

/// The kernels of OpenCV's resize(). None of them filters when an image shrinks.
enum class Interpolation : std::uint8_t { nearest, linear, cubic, lanczos };

/// The filters of Pillow's resize(). All but `nearest` widen with the scale when an image shrinks.
enum class ResizeFilter : std::uint8_t { nearest, box, bilinear, hamming, bicubic, lanczos };

/// The weights of two sources for the eight lanes of a group. A weight of 22 bits is 65536
/// times its high part, plus its low part, which may be negative.
struct PairWeights {
  std::array<std::int8_t, 16> high = {};  // lane 0: first and second source; then lane 1
  std::array<std::int16_t, 8> even = {};  // low parts of lanes 0, 2, 4 and 6
  std::array<std::int16_t, 8> odd = {};   // low parts of lanes 1, 3, 5 and 7
};

/// The two sources of a value along an axis, and their weights in fixed point with 11 bits.
struct LinearTap {
  std::int32_t first = 0;
  std::int32_t second = 0;
  std::int16_t first_weight = 0;
  std::int16_t second_weight = 0;
};

/// The memory of a resize, kept between calls of one thread.
struct ResizeMemory {
  std::vector<std::uint8_t> bytes;
  std::vector<std::int32_t> integers;
  std::vector<float> floats;
  std::vector<std::int16_t> short_sums;
  std::vector<std::int32_t> integer_sums;
  std::vector<float> sums;
  std::vector<double> doubles;
  std::vector<SourcePair> sources;
  RowProgram program;
  std::vector<PairWeights> pair_weights;
  std::vector<LinearTap> columns;
  std::vector<LinearTap> rows;
  std::vector<std::int16_t> short_weights;
  std::vector<std::uint8_t> tails;
};

/// Resizes with exactly the results of OpenCV 4.6 without IPP. Copies the pixels if the extents are
/// equal.
///
/// Pre: both images have the same number of channels, and extents of at least 1; they do not
///      overlap.
void resize_as_opencv(const PixelView<const std::uint8_t>& from, const PixelView<std::uint8_t>& to,
                      Interpolation interpolation, ResizeMemory& memory);
void resize_as_opencv(const PixelView<const float>& from, const PixelView<float>& to,
                      Interpolation interpolation, ResizeMemory& memory);
void resize_as_opencv(const PixelView<const double>& from, const PixelView<double>& to,
                      Interpolation interpolation, ResizeMemory& memory);

/// A part of an image, whose borders may lie between pixels, as Pillow's `box`: left, top, right,
/// bottom.
using ResizeBox = std::array<double, 4>;

/// Resizes `box` of an image as Pillow does. For 8-bit images, the results are exactly Pillow's.
/// Coefficients are in fixed point with steps of 2^-22.
///
/// Pre: as above; the box lies in the image, and is not empty.
void resize_as_pillow(const PixelView<const std::uint8_t>& from, const ResizeBox& box,
                      const PixelView<std::uint8_t>& to, ResizeFilter filter, ResizeMemory& memory);

/// Returns the pixels that resize_as_pillow() reads for `box` of an image with these extents.
[[nodiscard]] PixelRegion read_by_pillow(std::int64_t width, std::int64_t height,
                                         const ResizeBox& box, std::int64_t to_width,
                                         std::int64_t to_height, ResizeFilter filter);

}  // namespace sheaf::internal
