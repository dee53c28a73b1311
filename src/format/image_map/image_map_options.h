// Options of maps of images.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "sheaf/extend/format.h"

#include "format/images/image_streams.h"

namespace sheaf::image_map {

inline constexpr FormatOption kLabelsOption = internal::image_labels_option("image_map.labels");
inline constexpr FormatOption kClassesOption = internal::image_classes_option("image_map.classes");
inline constexpr FormatOption kViewsOption = internal::image_views_option("image_map.views");
inline constexpr FormatOption kHeadersOption = internal::image_headers_option("image_map.headers");
inline constexpr std::array<std::string_view, 2> kPrefixValues = {"", "FOLDER"};
inline constexpr FormatOption kPrefixOption = {
    "image_map.prefix", kPrefixValues, "the folder that the paths of the map begin in", true};
inline constexpr std::array kReadOptions = {kLabelsOption, kClassesOption, kViewsOption,
                                            kHeadersOption, kPrefixOption};

/// The checked options.
struct ReadOptions {
  internal::ImageStreams streams;
  std::string prefix;  // ends with a slash, or is empty
  bool reads_headers = false;
  bool has_text_keys = true;
  bool is_cntk = false;

  /// Whether each sequence is a chunk, as in CNTK. Then an order that shuffles chunks shuffles
  /// images.
  bool has_chunk_each = false;
  std::int64_t chunk_size_bytes = 0;
  std::int64_t read_size_bytes = 0;
};

/// Throws: ConfigError.
[[nodiscard]] ReadOptions read_options_of(const FormatOptions& options);

}  // namespace sheaf::image_map
