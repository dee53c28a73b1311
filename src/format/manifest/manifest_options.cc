#include "format/manifest/manifest_options.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/text.h"
#include "format/listed/list_scan.h"
#include "format/listed/source_bytes.h"
#include "format/sample_shape.h"

namespace sheaf::manifest {
namespace {

constexpr std::string_view kAudio = "audio";
constexpr std::string_view kFeatures = "features";

void check_common(const FormatOptions& options) {
  check_format_options("manifest", kReadOptions, options.extra);
  if (options.read_size_bytes < 1) throw ConfigError("read_size_bytes must be positive");
  if (options.chunk_size_bytes < 1) throw ConfigError("chunk_size_bytes must be positive");
  if (options.compatibility == Compatibility::cntk) {
    throw ConfigError("compatibility: CNTK has no reader of manifests to be compatible with");
  }
  if (options.skip_sequence_ids) {
    throw ConfigError("skip_sequence_ids: the lines of a manifest have keys");
  }
}

// Returns the streams of a manifest with undeclared streams.
std::vector<StreamOptions> undeclared_streams(const FormatOptions& options,
                                              const LineContents& first_line) {
  const std::string_view read = value_of(kReadOption, options.extra);
  const bool has_features =
      read == kReadValues.front() ? first_line.has_features : read == kFeatures;
  std::vector<StreamOptions> streams{{.name = std::string(has_features ? kFeatures : kAudio)}};
  if (first_line.has_text) streams.push_back({.name = "text"});
  const std::string_view fields = value_of(kFieldsOption, options.extra);
  if (fields == kFieldsValues.front()) return streams;
  for (std::size_t at = 0; at <= fields.size();) {
    const std::size_t end = std::min(fields.find(',', at), fields.size());
    std::string name(fields.substr(at, end - at));
    const auto has_name = [&](const StreamOptions& stream) { return stream.name == name; };
    if (name.empty() || std::ranges::any_of(streams, has_name)) {
      throw ConfigError(
          formatted("{}: expected names that differ, with commas between them, found {}",
                    kFieldsOption.name, quoted(fields)));
    }
    streams.push_back({.name = std::move(name)});
    at = end + 1;
  }
  return streams;
}

[[noreturn]] void refuse(const StreamOptions& declared, std::string_view why) {
  throw ConfigError(formatted("stream \"{}\": {}", declared.name, why));
}

// Takes a stream of audio or features.
void take_samples(const StreamOptions& declared, const FormatOptions& options, Samples samples,
                  ReadOptions& result) {
  if (result.sample_stream) {
    refuse(declared, "a manifest has one stream of audio or features; join two for both");
  }
  if (samples == Samples::features && result.rules.kind == LineKind::nemo) {
    refuse(declared, "manifests of NeMo have audio, and no features");
  }
  if (declared.storage == Storage::sparse) refuse(declared, "audio and features are dense");
  const ElementType type = declared.dtype.value_or(options.dtype.value_or(ElementType::f32));
  if (type != ElementType::f32) {
    refuse(declared, formatted("audio and features are read as f32, not {}; the transform cast "
                               "gives other types",
                               to_string(type)));
  }
  Stream stream{.name = declared.name,
                .element_type = ElementType::f32,
                .defines_minibatch_size = declared.defines_minibatch_size};
  if (declared.sample_shape) {
    if (!declared.sample_shape->is_fixed()) {
      refuse(declared,
             formatted("a sample has a value for each channel or each dim, as in [2]; the "
                       "shape {} is not fixed",
                       to_string(*declared.sample_shape)));
    }
    internal::check_sample_shape(declared.name, *declared.sample_shape, declared.storage,
                                 declared.index_dtype);
    stream.sample_shape = *declared.sample_shape;
    result.dim = declared.sample_shape->size();
  }
  result.rules.samples = samples;
  result.sample_stream = result.streams.size();
  result.streams.push_back(std::move(stream));
}

void take_text(const StreamOptions& declared, std::string_view field, ReadOptions& result) {
  const bool is_opaque =
      declared.dtype.value_or(ElementType::bytes) == ElementType::bytes &&
      declared.sample_shape.value_or(Shape{Shape::kVariable}) == Shape{Shape::kVariable};
  if (!is_opaque || declared.storage == Storage::sparse) {
    refuse(declared,
           formatted("the field {} is a text, which is bytes of shape [*]; only {} and {} "
                     "are numbers",
                     quoted(field), kAudio, kFeatures));
  }
  result.text_streams.push_back(result.streams.size());
  result.rules.text_fields.emplace_back(field);
  result.streams.push_back({.name = declared.name,
                            .element_type = ElementType::bytes,
                            .sample_shape = Shape{Shape::kVariable},
                            .defines_minibatch_size = declared.defines_minibatch_size});
}

}  // namespace

std::int64_t ReadOptions::sample_count(std::int64_t of_samples) const noexcept {
  const bool counts_texts = !sample_stream || std::ranges::any_of(text_streams, [&](std::size_t i) {
    return streams[i].defines_minibatch_size;
  });
  return counts_texts ? 1 : of_samples;
}

std::string first_line_of(const ByteSource& manifest, std::int64_t read_size_bytes) {
  constexpr std::int64_t kFirstRead = std::int64_t{64} << 10;
  constexpr std::int64_t kLineMax = std::int64_t{64} << 20;
  std::int64_t begin = 0;  // start of the line
  for (std::int64_t size = kFirstRead; begin < manifest.size();) {
    std::string text(static_cast<std::size_t>(std::min(size, manifest.size() - begin)), '\0');
    internal::read_bytes(manifest, begin, std::as_writable_bytes(std::span(text)), read_size_bytes);
    const bool is_all = begin + std::ssize(text) == manifest.size();
    const std::size_t end = text.find('\n');
    if (end == std::string::npos && !is_all) {
      size *= 2;
      if (size <= kLineMax) continue;
      Diagnostic diagnostic = internal::location_in_list(manifest, kJson, 0, begin);
      diagnostic.found = formatted("a line of more than {} bytes", std::ssize(text));
      throw DataError({std::move(diagnostic)});
    }
    text.resize(std::min(end, text.size()));
    if (!ManifestLines::is_blank(text)) return text;
    begin += std::ssize(text) + 1;
  }
  Diagnostic diagnostic = internal::location_in_list(manifest, kNoSequence, 0, 0);
  diagnostic.found = "no line";
  throw DataError({std::move(diagnostic)});
}

ReadOptions read_options_of(const FormatOptions& options, const LineContents& first_line) {
  check_common(options);
  ReadOptions result;
  result.rules.kind = first_line.kind;
  result.rules.samples = Samples::none;
  result.rules.allows_missing_texts = options.missing_streams == MissingStreams::allow;
  const std::string_view key = value_of(kKeysOption, options.extra);
  if (key != kKeysValues.front()) result.rules.key_field = key;
  const std::vector<StreamOptions> streams =
      options.streams.empty() ? undeclared_streams(options, first_line) : options.streams;
  for (const StreamOptions& stream : streams) {
    const std::string_view field = stream.alias.empty() ? stream.name : stream.alias;
    if (field == kAudio || field == kFeatures) {
      take_samples(stream, options, field == kAudio ? Samples::audio : Samples::features, result);
    } else {
      take_text(stream, field, result);
    }
  }
  result.rate = internal::sample_rate_of(kRateOption, options.extra);
  result.scale = internal::sample_scale_of(kScaleOption, options.extra);
  result.has_text_keys = options.keys.value_or(KeyType::text) == KeyType::text;
  result.chunk_size_bytes = options.chunk_size_bytes;
  result.read_size_bytes = options.read_size_bytes;
  return result;
}

}  // namespace sheaf::manifest
