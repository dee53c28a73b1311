/// \file
/// Encoded images for tests, made byte by byte, and the files in tests/image/data.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sheaf::internal {

/// Returns a number as `count` bytes, most significant byte first.
[[nodiscard]] std::string big(std::uint64_t value, std::size_t count);
[[nodiscard]] std::string little(std::uint64_t value, std::size_t count);

/// Returns EXIF data with another tag before the orientation.
[[nodiscard]] std::string made_exif(int orientation, bool is_little);

/// Returns a segment of a JPEG image: marker, length, content.
[[nodiscard]] std::string jpeg_segment(char code, const std::string& contents);

/// Returns the content of the frame segment of a JPEG image.
[[nodiscard]] std::string jpeg_frame(int width, int height, int components, int depth = 8);

/// Returns a JPEG image of 5 x 7 pixels whose extents and components end after `size` bytes. 13
/// bytes follow.
///
/// Pre: size >= 16.
[[nodiscard]] std::string jpeg_with_header(std::int64_t size);

/// Returns a chunk of a PNG image with a checksum of zero.
[[nodiscard]] std::string png_chunk(std::string_view type, const std::string& contents);
[[nodiscard]] std::string png_header(std::uint64_t width, std::uint64_t height, int depth,
                                     int color_type, int interlace = 0);

/// Returns a WebP file of these chunks.
[[nodiscard]] std::string webp_file(const std::string& chunks);
[[nodiscard]] std::string webp_chunk(std::string_view type, const std::string& contents);

/// Returns the bytes of tests/image/data/`name`.
[[nodiscard]] std::string image_file(std::string_view name);

[[nodiscard]] std::span<const std::byte> bytes_of(std::string_view text);

}  // namespace sheaf::internal
