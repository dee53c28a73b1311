#include "transform/image_operation.h"

#include <cassert>
#include <cstring>

#include "base/text.h"

namespace sheaf::internal {

Shape ImageForm::shape() const {
  return has_planes ? Shape{channels, height, width} : Shape{height, width, channels};
}

AnyPixels part_of(const AnyPixels& image, const PixelRegion& region) noexcept {
  assert(region.x >= 0 && region.x + region.width <= image.width);
  assert(region.y >= 0 && region.y + region.height <= image.height);
  AnyPixels part = image;
  part.values = image.row(region.y) + region.x * image.channels * sheaf::element_size(image.type);
  part.width = region.width;
  part.height = region.height;
  return part;
}

void copy_pixels(const AnyPixels& from, const AnyPixels& to) noexcept {
  assert(from.height == to.height && from.width == to.width && from.channels == to.channels);
  const auto bytes = static_cast<std::size_t>(from.width * from.channels * element_size(from.type));
  for (std::int64_t y = 0; y < from.height; ++y) std::memcpy(to.row(y), from.row(y), bytes);
}

void ImageOperation::apply(const ImageStep& step, const AnyPixels& from,
                           const AnyPixels& to) const {
  static_cast<void>(step);
  copy_pixels(from, to);
}

void require_pixels(double height, double width) {
  if (height * width <= static_cast<double>(kImagePixelsMax)) return;
  throw ImageRefused{
      .expected = formatted("an image that becomes one of at most {} pixels", kImagePixelsMax),
      .found = formatted("one that would become {:.0f} x {:.0f} (height x width)", height, width)};
}

}  // namespace sheaf::internal
