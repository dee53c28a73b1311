/// \file
/// Other sizes of images.

#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "image/pixels.h"
#include "image/row_program.h"

namespace sheaf::internal {

/// The kernels of OpenCV's resize(). None of them filters where an image shrinks.
enum class Interpolation : std::uint8_t { nearest, linear, cubic, lanczos };

/// The filters of Pillow's resize(). All but `nearest` widen with the scale where an image shrinks.
enum class ResizeFilter : std::uint8_t { nearest, box, bilinear, hamming, bicubic, lanczos };

/// The weights of two sources for the eight slots of a group. A weight of 22 bits is 65536 times
/// its high part, plus its low part, which may be negative.
struct PairWeights {
  std::array<std::int8_t, 16> high = {};  // of slot 0, the first source and the second, then slot 1
  std::array<std::int16_t, 8> even = {};  // the low parts of slots 0, 2, 4 and 6
  std::array<std::int16_t, 8> odd = {};   // of slots 1, 3, 5 and 7
};

/// The two sources of a value along an axis, and their weights in fixed point of 11 bits.
struct LinearTap {
  std::int32_t first = 0;
  std::int32_t second = 0;
  std::int16_t first_weight = 0;
  std::int16_t second_weight = 0;
};

/// Memory of resizing, kept between calls of one thread.
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

/// Resizes as OpenCV 4.6 does without IPP: the same bits. Equal extents copy the pixels.
///
/// Pre: both images have one number of channels, and extents of 1 or more; they do not overlap.
void resize_as_opencv(const PixelView<const std::uint8_t>& from, const PixelView<std::uint8_t>& to,
                      Interpolation interpolation, ResizeMemory& memory);
void resize_as_opencv(const PixelView<const float>& from, const PixelView<float>& to,
                      Interpolation interpolation, ResizeMemory& memory);
void resize_as_opencv(const PixelView<const double>& from, const PixelView<double>& to,
                      Interpolation interpolation, ResizeMemory& memory);

/// A part of an image with borders between pixels, as Pillow's `box`: left, top, right, bottom.
using ResizeBox = std::array<double, 4>;

/// Resizes `box` of an image as Pillow does: the same bits for 8-bit images, a step of 2^-22 in
/// fixed-point coefficients.
///
/// Pre: as above; the box lies in the image, and is not empty.
void resize_as_pillow(const PixelView<const std::uint8_t>& from, const ResizeBox& box,
                      const PixelView<std::uint8_t>& to, ResizeFilter filter, ResizeMemory& memory);

/// Returns which pixels of an image of these extents resize_as_pillow() reads for `box`.
[[nodiscard]] PixelRegion read_by_pillow(std::int64_t width, std::int64_t height,
                                         const ResizeBox& box, std::int64_t to_width,
                                         std::int64_t to_height, ResizeFilter filter);

}  // namespace sheaf::internal
