/// \file
/// Converts colors that the codecs do not convert themselves.

#pragma once

#include <cstdint>

#include "image/image_decoder.h"

namespace sheaf::internal {

/// Converts CMYK pixels, as libjpeg returns them, to `color`.
///
/// `opencv` takes the values unchanged. For grey, it uses the weights 4899, 9617 and 1868 of 16384,
/// rounded. `pillow` inverts all values, as Adobe stores them, converts them to RGB, and converts
/// the RGB to grey if needed.
///
/// Source: OpenCV 4.6, icvCvt_CMYK2BGR_8u_C4C3R; Pillow 9.4, libImaging/Convert.c, cmyk2rgb.
void convert_cmyk(const std::uint8_t* cmyk, std::int64_t count, ImageColor color, ImageRules rules,
                  std::uint8_t* to) noexcept;

/// Converts RGB pixels to grey: 0.299 R + 0.587 G + 0.114 B, in fixed point of 15 bits (opencv) or
/// 16 bits (pillow), rounded. `to` may be `rgb`.
///
/// Source: OpenCV 4.6, RGB2Gray<uchar>; Pillow 9.4, libImaging/Convert.c, L24.
void convert_to_grey(const std::uint8_t* rgb, std::int64_t count, ImageRules rules,
                     std::uint8_t* to) noexcept;

}  // namespace sheaf::internal
