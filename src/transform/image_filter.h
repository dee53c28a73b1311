/// \file
/// The options for the filter of a resize.

#pragma once

#include <string>

#include "transform/image_operation.h"
#include "transform/option_values.h"

namespace sheaf::internal {

/// The way of resizing: as Pillow with `filter`, or as OpenCV with `interpolation`.
struct ImageFilter {
  bool has_antialias = true;
  ResizeFilter filter = ResizeFilter::bilinear;
  Interpolation interpolation = Interpolation::linear;
};

/// The options `filter` and `antialias`, for the tables of transform types.
inline constexpr TransformOption kFilterOption = {
    .name = "filter",
    .default_text = "linear",
    .help = "nearest, box, linear, hamming, cubic or lanczos"};
inline constexpr TransformOption kAntialiasOption = {
    .name = "antialias",
    .default_text = "true",
    .help = "true: as Pillow; false: as OpenCV, which skips pixels where an image shrinks"};

/// Reads the options `filter` and `antialias`.
///
/// Throws: ConfigError for a filter that OpenCV does not have.
[[nodiscard]] ImageFilter image_filter(const OptionValues& values);

/// Returns "filter=linear,antialias=true".
[[nodiscard]] std::string to_string(const ImageFilter& filter);

/// Throws: ConfigError for a stream whose values the filter does not take. With antialias, it takes
///         u8 only.
void require_filtered(const ImageFilter& filter, const ImageForm& form, const Stream& stream);

/// Appends a resize, unless the image already has the size.
void plan_resize(const ImageFilter& filter, const ImageForm& form, std::int64_t height,
                 std::int64_t width, std::vector<ImageStep>& steps);

}  // namespace sheaf::internal
