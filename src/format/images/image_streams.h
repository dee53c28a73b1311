// The streams and options that all formats of images share. The name of an option begins with the
// name of the format.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sheaf/extend/format.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// The value of a label stream for each image: its class id, or a sparse 1 at the id.
enum class ImageLabels : std::uint8_t { ids, one_hot, none };

inline constexpr std::array<std::string_view, 3> kImageLabelsValues = {"ids", "one_hot", "none"};
inline constexpr std::array<std::string_view, 2> kImageClassesValues = {"unknown", "COUNT"};
inline constexpr std::array<std::string_view, 2> kImageViewsValues = {"1", "10"};
inline constexpr std::array<std::string_view, 2> kImageHeadersValues = {"none", "read"};

/// The options of a format of images. `name` includes the name of the format, such as
/// "image_map.labels".
///
///     inline constexpr FormatOption kLabelsOption = image_labels_option("image_map.labels");
[[nodiscard]] constexpr FormatOption image_labels_option(std::string_view name) {
  return {.name = name,
          .values = kImageLabelsValues,
          .help = "ids: a class id for each image; one_hot: a sparse 1 at the id; none: no labels"};
}
[[nodiscard]] constexpr FormatOption image_classes_option(std::string_view name) {
  return {.name = name,
          .values = kImageClassesValues,
          .help = "how many classes there are: larger ids are wrong; one_hot needs the number",
          .takes_any = true};
}
[[nodiscard]] constexpr FormatOption image_views_option(std::string_view name) {
  return {.name = name,
          .values = kImageViewsValues,
          .help = "how often each image is delivered; 10: with the number of the view, 0 to 9"};
}
[[nodiscard]] constexpr FormatOption image_headers_option(std::string_view name) {
  return {.name = name,
          .values = kImageHeadersValues,
          .help = "read: read the extents of all images, so that a sequence costs its pixels"};
}

/// The requested streams of a data set of images, among `image`, `label` and `view`. They have the
/// user's names and order.
struct ImageStreams {
  std::vector<Stream> streams;
  std::optional<std::size_t> image;  // number in `streams`, as are the next ones
  std::optional<std::size_t> label;
  std::optional<std::size_t> view;
  ImageLabels labels = ImageLabels::ids;    // `none` if there is no stream of labels
  std::optional<std::int64_t> class_count;  // if known
  std::int64_t view_count = 1;              // sequences for each image
};

/// The options of a format. `views` is null if the format does not have that option.
struct ImageOptionNames {
  const FormatOption* labels = nullptr;
  const FormatOption* classes = nullptr;
  const FormatOption* views = nullptr;
};

/// Returns the streams that the options select. By default, these are `image`, `label` unless there
/// are no labels, and `view` if there are several views.
///
/// A declared stream has one of these three names, or one of them as its alias. `image` is bytes of
/// shape [*]. `label` is dense i32 or i64 of shape [1], or sparse f32 or f64 of shape [classes]. If
/// the declaration gives neither a storage nor a shape, the option decides. `view` is i32 of shape
/// [1].
///
/// Throws: ConfigError that names the stream or the option.
[[nodiscard]] ImageStreams image_streams_of(const FormatOptions& options,
                                            const ImageOptionNames& names);

}  // namespace sheaf::internal
