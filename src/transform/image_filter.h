/// \file
/// The filter of a resize, as options say it.

#pragma once

#include <string>

#include "transform/image_operation.h"
#include "transform/option_values.h"

namespace sheaf::internal {

/// How to resize: as Pillow with `filter`, or as OpenCV with `interpolation`.
struct ImageFilter {
  bool has_antialias = true;
  ResizeFilter filter = ResizeFilter::bilinear;
  Interpolation interpolation = Interpolation::linear;
};

/// The options `filter` and `antialias`, as the tables of types have them.
inline constexpr TransformOption kFilterOption = {
    .name = "filter",
    .default_text = "linear",
    .help = "nearest, box, linear, hamming, cubic or lanczos"};
inline constexpr TransformOption kAntialiasOption = {
    .name = "antialias",
    .default_text = "true",
    .help = "true: as Pillow; false: as OpenCV, which skips pixels where an image shrinks"};

/// Reads the two options.
///
/// Throws: ConfigError for a filter that OpenCV does not have.
[[nodiscard]] ImageFilter image_filter(const OptionValues& values);

/// Returns "filter=linear,antialias=true".
[[nodiscard]] std::string to_string(const ImageFilter& filter);

/// Throws: ConfigError for a stream whose values the filter does not take: with antialias u8 alone.
void require_filtered(const ImageFilter& filter, const ImageForm& form, const Stream& stream);

/// Appends a resize, unless the image has the size already.
void plan_resize(const ImageFilter& filter, const ImageForm& form, std::int64_t height,
                 std::int64_t width, std::vector<ImageStep>& steps);

}  // namespace sheaf::internal
