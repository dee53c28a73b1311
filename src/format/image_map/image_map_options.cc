#include "format/image_map/image_map_options.h"

#include "sheaf/error.h"

namespace sheaf::image_map {
namespace {

std::string prefix_of(std::string_view given) {
  std::string prefix(given);
  if (!prefix.empty() && !prefix.ends_with('/')) prefix += '/';
  return prefix;
}

}  // namespace

ReadOptions read_options_of(const FormatOptions& options) {
  check_format_options("image_map", kReadOptions, options.extra);
  if (options.read_size_bytes < 1) throw ConfigError("read_size_bytes must be positive");
  if (options.chunk_size_bytes < 1) throw ConfigError("chunk_size_bytes must be positive");
  if (options.skip_sequence_ids) {
    throw ConfigError("skip_sequence_ids: each line of a map of images is a sequence anyway");
  }
  ReadOptions result;
  result.streams = internal::image_streams_of(
      options, {.labels = &kLabelsOption, .classes = &kClassesOption, .views = &kViewsOption});
  result.prefix = prefix_of(value_of(kPrefixOption, options.extra));
  result.reads_headers = value_of(kHeadersOption, options.extra) == "read";
  result.is_cntk = options.compatibility == Compatibility::cntk;
  const KeyType own = result.is_cntk ? KeyType::numeric : KeyType::text;
  result.has_text_keys = options.keys.value_or(own) == KeyType::text;
  result.has_chunk_each = result.is_cntk && !options.groups_chunks;
  result.chunk_size_bytes = options.chunk_size_bytes;
  result.read_size_bytes = options.read_size_bytes;
  return result;
}

}  // namespace sheaf::image_map
