#include "format/image_base64/image_base64_options.h"

#include "sheaf/error.h"

#include "format/text/text_format.h"

namespace sheaf::image_base64 {

internal::ImageStreams streams_of(const FormatOptions& options) {
  internal::check_text_options(options);
  check_format_options("image_base64", kReadOptions, options.extra);
  if (options.skip_sequence_ids) {
    throw ConfigError(
        "skip_sequence_ids: each line of image_base64 is a sequence, and its key is the first of "
        "three columns");
  }
  return internal::image_streams_of(
      options, {.labels = &kLabelsOption, .classes = &kClassesOption, .views = &kViewsOption});
}

}  // namespace sheaf::image_base64
