/// \file
/// Looks for the end of an encoded image without decoding its pixels.

#pragma once

#include <cstddef>
#include <span>

#include "image/image_header.h"

namespace sheaf::internal {

/// Returns whether a JPEG image has its end marker at or behind `at`, which must lie behind the
/// start of a scan.
[[nodiscard]] bool has_jpeg_end(std::span<const std::byte> bytes, std::size_t at) noexcept;

/// Checks the chunks of a PNG image without inflating them: all are there, up to IEND, and each
/// IDAT has its check sum. Otherwise returns false and sets `problem`.
[[nodiscard]] bool check_png_chunks(std::span<const std::byte> bytes, ImageProblem& problem);

/// Returns whether the image is there up to its end. Of a PNG, also compares the check sums of the
/// pixels. Other damage of the pixels is up to the decoder.
///
/// Pre:  read_image_header() accepts the bytes.
/// Cost: one pass over the bytes; of a WebP image, constant.
[[nodiscard]] bool is_whole_image(std::span<const std::byte> bytes, ImageFormat format);

}  // namespace sheaf::internal
