#include "transform/image_filter.h"

#include <array>
#include <cstddef>
#include <string_view>

#include "sheaf/error.h"

#include "base/text.h"
#include "transform/image_options.h"
#include "transform/stream_checks.h"

namespace sheaf::internal {
namespace {

constexpr std::array<std::string_view, 6> kFilters = {"nearest", "box",   "linear",
                                                      "hamming", "cubic", "lanczos"};

}  // namespace

ImageFilter image_filter(const OptionValues& values) {
  ImageFilter filter;
  filter.has_antialias = values.flag("antialias");
  filter.filter = static_cast<ResizeFilter>(values.choice("filter", kFilters));
  switch (filter.filter) {
    case ResizeFilter::nearest:
      filter.interpolation = Interpolation::nearest;
      return filter;
    case ResizeFilter::bilinear:
      filter.interpolation = Interpolation::linear;
      return filter;
    case ResizeFilter::bicubic:
      filter.interpolation = Interpolation::cubic;
      return filter;
    case ResizeFilter::lanczos:
      filter.interpolation = Interpolation::lanczos;
      return filter;
    case ResizeFilter::box:
    case ResizeFilter::hamming:
      break;
  }
  if (!filter.has_antialias) {
    throw ConfigError(formatted(
        "filter must be one of nearest, linear, cubic, lanczos with antialias=false: got \"{}\"",
        kFilters[static_cast<std::size_t>(filter.filter)]));
  }
  return filter;
}

std::string to_string(const ImageFilter& filter) {
  return formatted("filter={},antialias={}", kFilters[static_cast<std::size_t>(filter.filter)],
                   filter.has_antialias);
}

void require_filtered(const ImageFilter& filter, const ImageForm& form, const Stream& stream) {
  require_pixel_type(form, stream);
  if (filter.has_antialias && form.type != ElementType::u8) {
    refuse_stream(stream, "have values of type u8, or antialias must be false");
  }
}

void plan_resize(const ImageFilter& filter, const ImageForm& form, std::int64_t height,
                 std::int64_t width, std::vector<ImageStep>& steps) {
  if (form.height == height && form.width == width) return;
  require_pixels(static_cast<double>(height), static_cast<double>(width));
  ImageForm made = form;
  made.height = height;
  made.width = width;
  steps.push_back({.kind = ImageStep::Kind::resize,
                   .made = made,
                   .has_antialias = filter.has_antialias,
                   .filter = filter.filter,
                   .interpolation = filter.interpolation});
}

}  // namespace sheaf::internal
