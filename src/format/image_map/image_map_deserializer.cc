#include "format/image_map/image_map_deserializer.h"

#include <optional>

#include "base/text.h"
#include "format/image_map/image_map_scan.h"
#include "format/named_file.h"
#include "format/text/scanned_chunk.h"

namespace sheaf::image_map {

ImageMapDeserializer::ImageMapDeserializer(const OpenRequest& request)
    : map_(request.source),
      files_(request.context.file_system()),
      options_(read_options_of(request.options)),
      rules_{.prefix = options_.prefix,
             .folder = internal::folder_of(*map_),
             .has_text_keys = options_.has_text_keys,
             .is_cntk = options_.is_cntk,
             .class_count = options_.streams.class_count},
      archives_(files_),
      index_(*map_, options_,
             scan_map(*map_, rules_, options_, request.context,
                      internal::row_size_max(request.options.index.memory_limit_bytes.value_or(0),
                                             options_.read_size_bytes),
                      archives_)) {}

// If each image is a chunk, the order does not depend on the sizes of images. So a run can continue
// after a missing image was added.
std::string ImageMapDeserializer::fingerprint() const {
  const internal::ImageStreams& streams = options_.streams;
  std::string text =
      formatted("image_map:{}:views={}", to_string(map_->fingerprint()), streams.view_count);
  if (options_.has_chunk_each) {
    text += ":each";
  } else {
    text +=
        formatted(":chunk={}:sizes={:x}", options_.chunk_size_bytes, index_.images().sizes_hash);
  }
  for (const Stream& each : streams.streams) text += formatted(":{}", each.name);
  if (streams.label) {
    text += formatted(":labels={}",
                      internal::kImageLabelsValues[static_cast<std::size_t>(streams.labels)]);
  }
  if (streams.class_count) text += formatted("<{}", *streams.class_count);
  if (!options_.prefix.empty()) {
    text += formatted(":prefix={}", to_string(key_of_text(options_.prefix)));
  }
  if (options_.reads_headers) text += ":pixels";
  if (options_.is_cntk) text += ":cntk";
  if (!options_.has_text_keys) text += ":keys=numeric";
  return text;
}

Chunk ImageMapDeserializer::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  const RangeSource source = range_source();
  return RangeReader(source, range, diagnostics).read();
}

Diagnostic ImageMapDeserializer::location_of(ChunkIndex chunk, std::int64_t sequence,
                                             std::int64_t stream) const {
  const std::int64_t image = index_.view_of(chunk, sequence).image;
  const LocatedLine located = read_lines(range_source(), image, image + 1).front();
  const std::string key =
      options_.has_text_keys ? located.line.key_text : to_string(located.line.key);
  if (options_.streams.image && static_cast<std::size_t>(stream) == *options_.streams.image) {
    const bool is_entry = index_.images().archives[image] != MapImages::kNone;
    return {.path = located.line.path,
            .byte_offset = is_entry ? Diagnostic::kNoOffset : 0,
            .sequence_key = key};
  }
  return {.path = std::string(map_->name()),
          .line = located.number,
          .byte_offset = located.offset,
          .sequence_key = key};
}

void ImageMapDeserializer::visit_named_files(
    const std::function<void(const std::string& path)>& visit) const {
  constexpr std::int64_t kLinesAtOnce = 4096;
  const std::int64_t count = index_.images().count();
  for (std::int64_t first = 0; first < count; first += kLinesAtOnce) {
    const std::int64_t last = std::min(count, first + kLinesAtOnce);
    for (const LocatedLine& each : read_lines(range_source(), first, last)) {
      if (each.line.fault != nullptr) continue;
      visit(each.line.path);
      const std::optional<EntryPath> parts = split_entry_path(each.line.path);
      if (parts) visit(parts->archive);
    }
  }
}

}  // namespace sheaf::image_map
