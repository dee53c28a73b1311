#include "format/image_folder/image_folder_options.h"

#include <algorithm>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::image_folder {

ReadOptions read_options_of(const FormatOptions& options) {
  check_format_options("image_folder", kReadOptions, options.extra);
  if (options.read_size_bytes < 1) throw ConfigError("read_size_bytes must be positive");
  if (options.chunk_size_bytes < 1) throw ConfigError("chunk_size_bytes must be positive");
  if (options.compatibility == Compatibility::cntk) {
    throw ConfigError(
        "compatibility: CNTK has no reader of folders of images to be compatible "
        "with");
  }
  if (options.skip_sequence_ids) {
    throw ConfigError(
        "skip_sequence_ids: each image is a sequence anyway; image_folder.frames=true makes one "
        "sequence of a folder of numbered images");
  }
  ReadOptions result;
  result.class_names_path = value_of(kClassNamesOption, options.extra);
  result.reads_headers = value_of(kHeadersOption, options.extra) == "read";
  result.joins_frames = value_of(kFramesOption, options.extra) == "true";
  result.has_text_keys = options.keys.value_or(KeyType::text) == KeyType::text;
  result.chunk_size_bytes = options.groups_chunks
                                ? options.chunk_size_bytes
                                : std::min(options.chunk_size_bytes, kOwnChunkBytes);
  result.read_size_bytes = options.read_size_bytes;
  result.index = options.index;
  return result;
}

internal::ImageStreams streams_of(const FormatOptions& options, std::int64_t class_count) {
  FormatOptions known = options;
  const bool is_given = value_of(kClassesOption, options.extra) != kClassesOption.values.front();
  if (!is_given && class_count > 0) {
    known.extra.insert_or_assign(std::string(kClassesOption.name), formatted("{}", class_count));
  }
  return internal::image_streams_of(known, {.labels = &kLabelsOption, .classes = &kClassesOption});
}

}  // namespace sheaf::image_folder
