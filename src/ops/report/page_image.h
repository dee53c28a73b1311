// Shows pixels as an <img> with an embedded PNG.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sheaf::internal::page {

/// Maps the bytes of a picture to colours.
enum class Palette {
  rgb,     // three bytes for each pixel
  gray,    // one byte for each pixel
  heat,    // one byte for each pixel; 0 is dark blue, 255 is light yellow
  shares,  // one byte for each pixel; 0 is transparent, 255 is the full colour of charts
};

struct Picture {
  int width = 0;
  int height = 0;
  Palette palette = Palette::gray;
  std::span<const std::byte> pixels;  // rows from top to bottom
};

/// Returns the bytes of a PNG file.
///
/// Pre:         the size is not zero, and `pixels` matches the size.
/// Determinism: equal pixels give equal bytes with the same zlib.
[[nodiscard]] std::string png_of(const Picture& picture);

/// Returns an <img> with a CSS class and an alternative text.
///
/// Pre: as png_of(); `alt` is HTML for an attribute.
[[nodiscard]] std::string image_html(const Picture& picture, std::string_view css_class,
                                     std::string_view alt);

}  // namespace sheaf::internal::page
