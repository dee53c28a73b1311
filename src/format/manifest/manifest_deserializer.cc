#include "format/manifest/manifest_deserializer.h"

#include <string_view>
#include <utility>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/text.h"
#include "format/listed/list_scan.h"
#include "format/manifest/manifest_range.h"
#include "format/named_file.h"

namespace sheaf::manifest {
namespace {

ReadOptions options_of(const OpenRequest& request) {
  const ByteSource& manifest = *request.source;
  if (request.options.read_size_bytes < 1) throw ConfigError("read_size_bytes must be positive");
  const std::string line = first_line_of(manifest, request.options.read_size_bytes);
  const LineContents contents = contents_of(line);
  if (contents.fault) {
    const LineFault& fault = *contents.fault;
    const auto begin = static_cast<std::int64_t>(fault.location.begin);
    Diagnostic diagnostic = internal::location_in_list(manifest, *fault.kind, 1, begin);
    diagnostic.column = begin + 1;
    diagnostic.found = fault.found;
    diagnostic.hint =
        "a manifest has an utterance on each line; a spec is opened by --spec (spec= in Python)";
    set_excerpt(diagnostic, line, begin, static_cast<std::int64_t>(fault.location.size));
    throw DataError({std::move(diagnostic)});
  }
  return read_options_of(request.options, contents);
}

}  // namespace

ManifestDeserializer::ManifestDeserializer(const OpenRequest& request)
    : manifest_(request.source),
      options_(options_of(request)),
      files_(request.context, internal::folder_of(*manifest_), options_.rules.samples,
             options_.read_size_bytes),
      index_({.manifest = manifest_,
              .options = &options_,
              .index = request.options.index,
              .context = request.context},
             files_),
      streams_(options_.streams) {
  if (options_.sample_stream && !options_.dim) {
    streams_[*options_.sample_stream].sample_shape = Shape{index_.dim()};
  }
}

std::string ManifestDeserializer::fingerprint() const {
  std::string text =
      formatted("manifest:{}:chunk={}:key={}:dim={}:rate={}", to_string(manifest_->fingerprint()),
                options_.chunk_size_bytes, options_.rules.key_field, index_.dim(), index_.rate());
  for (const std::string& field : options_.rules.text_fields) text += ":text=" + field;
  if (options_.rules.samples == manifest::Samples::features) text += ":features";
  if (options_.scale == internal::SampleScale::int16) text += ":int16";
  if (options_.rules.allows_missing_texts) text += ":allow";
  if (!options_.has_text_keys) text += ":keys=numeric";
  return text;
}

Chunk ManifestDeserializer::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  const RangeSource source{.manifest = *manifest_,
                           .index = index_,
                           .files = files_,
                           .options = options_,
                           .streams = streams_};
  return RangeReader(source, range, diagnostics).read();
}

void ManifestDeserializer::visit_named_files(
    const std::function<void(const std::string& path)>& visit) const {
  index_.visit_paths([&](std::string_view path) {
    if (!path.empty()) visit(files_.path_of(path));
  });
}

}  // namespace sheaf::manifest
