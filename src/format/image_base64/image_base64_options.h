// Options of lines of images.

#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sheaf/extend/format.h"

#include "format/images/image_streams.h"

namespace sheaf::image_base64 {

inline constexpr FormatOption kLabelsOption = internal::image_labels_option("image_base64.labels");
inline constexpr FormatOption kClassesOption =
    internal::image_classes_option("image_base64.classes");
inline constexpr FormatOption kViewsOption = internal::image_views_option("image_base64.views");
inline constexpr FormatOption kHeadersOption =
    internal::image_headers_option("image_base64.headers");
inline constexpr std::array kReadOptions = {kLabelsOption, kClassesOption, kViewsOption,
                                            kHeadersOption};

inline constexpr std::array<std::string_view, 2> kKeysValues = {"column", "none"};
inline constexpr FormatOption kKeysOption = {
    "image_base64.keys", kKeysValues,
    "whether lines begin with keys; none: keys are the numbers from 0 on, which readers count"};
inline constexpr std::array kWriteOptions = {kKeysOption};

/// Returns the streams to read.
///
/// Throws: ConfigError, also for options that lines of images do not support.
[[nodiscard]] internal::ImageStreams streams_of(const FormatOptions& options);

}  // namespace sheaf::image_base64
