/// \file
/// What the first bytes of an encoded image say.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sheaf::internal {

enum class ImageFormat : std::uint8_t { jpeg, png, webp };

/// Returns "JPEG", "PNG" or "WebP".
[[nodiscard]] const char* name_of(ImageFormat format) noexcept;

/// What is known of an image without decoding pixels.
struct ImageHeader {
  ImageFormat format = ImageFormat::jpeg;
  std::int64_t stored_width = 0;  // in pixels, before the orientation is applied
  std::int64_t stored_height = 0;
  int channels = 3;  // in the file: 1 grey, 2 grey and alpha, 3 colour, 4 colour and alpha, or CMYK
  int bit_depth = 8;    // of a channel
  int orientation = 1;  // as EXIF numbers them: 1 to 8; 1 where the file does not say

  /// Returns the extents after the orientation is applied: 5 to 8 swap them.
  [[nodiscard]] std::int64_t width() const noexcept {
    return orientation >= 5 ? stored_height : stored_width;
  }
  [[nodiscard]] std::int64_t height() const noexcept {
    return orientation >= 5 ? stored_width : stored_height;
  }
};

/// A wrong place of an encoded image.
struct ImageProblem {
  std::int64_t offset = 0;  // bytes into the encoded image
  std::string expected;
  std::string found;
  bool is_cut = false;  // the bytes end too early: more of the file may be right
};

/// Reads the header of a JPEG, PNG or WebP image, and EXIF's orientation. Needs no codec.
/// `bytes` are the image or its beginning: a header that `bytes` cut off is a problem that `is_cut`
/// tells apart. Most headers end within 64 KiB; WebP has its EXIF behind the pixels, so a WebP
/// image that announces EXIF is needed as a whole.
///
/// Returns false, and sets `problem`, for bytes of another kind, and for a header that breaks the
/// rules of its format. Extents are 1 or more. EXIF that breaks its own rules is orientation 1.
///
/// Cost: one pass over the segments, without their contents.
[[nodiscard]] bool read_image_header(std::span<const std::byte> bytes, ImageHeader& header,
                                     ImageProblem& problem);

}  // namespace sheaf::internal
