/// \file
/// Reads the header of an encoded image.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sheaf::internal {

enum class ImageFormat : std::uint8_t { jpeg, png, webp };

/// Returns "JPEG", "PNG" or "WebP".
[[nodiscard]] const char* name_of(ImageFormat format) noexcept;

/// The properties of an image that are known without decoding its pixels.
struct ImageHeader {
  ImageFormat format = ImageFormat::jpeg;
  std::int64_t stored_width = 0;  // in pixels, without the orientation
  std::int64_t stored_height = 0;
  int channels = 3;   // in the file: 1 grey, 2 grey and alpha, 3 color, 4 color and alpha, or CMYK
  int bit_depth = 8;  // of a channel
  int orientation = 1;  // as in EXIF: 1 to 8; 1 if the file has none

  /// Returns the width after the orientation is applied. Orientations 5 to 8 swap the extents.
  [[nodiscard]] std::int64_t width() const noexcept {
    return orientation >= 5 ? stored_height : stored_width;
  }
  [[nodiscard]] std::int64_t height() const noexcept {
    return orientation >= 5 ? stored_width : stored_height;
  }
};

/// An error in an encoded image.
struct ImageProblem {
  std::int64_t offset = 0;  // in the encoded image
  std::string expected;
  std::string found;
  bool is_cut = false;  // the bytes end too early; with more bytes, the image may be right
};

/// Reads the header of a JPEG, PNG or WebP image, and the EXIF orientation. Needs no codec. `bytes`
/// is the image or its beginning. If the header is incomplete, `problem.is_cut` is set. Most
/// headers end within 64 KiB. WebP has its EXIF data behind the pixels, so a WebP image that
/// announces EXIF data is needed as a whole.
///
/// Returns false and sets `problem` for bytes of another kind, and for an invalid header. Extents
/// are at least 1. Invalid EXIF data count as orientation 1.
///
/// Cost: one pass over the segments, without their contents.
[[nodiscard]] bool read_image_header(std::span<const std::byte> bytes, ImageHeader& header,
                                     ImageProblem& problem);

}  // namespace sheaf::internal
