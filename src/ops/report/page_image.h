// Pixels as an <img> that holds its own PNG.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sheaf::internal::page {

/// How the bytes of a picture become colours.
enum class Palette {
  rgb,     // three bytes a pixel
  gray,    // one byte a pixel
  heat,    // one byte a pixel: dark blue is 0, light yellow is 255
  shares,  // one byte a pixel: 0 is the page behind, 255 the full colour of charts
};

struct Picture {
  int width = 0;
  int height = 0;
  Palette palette = Palette::gray;
  std::span<const std::byte> pixels;  // rows from the top
};

/// Returns the bytes of a PNG file.
///
/// Pre:         the size is not zero, and `pixels` has exactly the bytes of the size.
/// Determinism: equal pixels give equal bytes with the same zlib.
[[nodiscard]] std::string png_of(const Picture& picture);

/// Returns an <img> of a class, with a text for those who do not see the picture.
///
/// Pre: as png_of(); `alt` is HTML for an attribute.
[[nodiscard]] std::string image_html(const Picture& picture, std::string_view css_class,
                                     std::string_view alt);

}  // namespace sheaf::internal::page
