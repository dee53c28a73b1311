#include "format/webdataset/webdataset_options.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <system_error>
#include <utility>

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/text.h"
#include "format/sample_shape.h"
#include "format/webdataset/webdataset_names.h"

namespace sheaf::webdataset {
namespace {

[[noreturn]] void refuse(const StreamOptions& declared, const std::string& why) {
  throw ConfigError(formatted("stream {}: {}", quoted(declared.name), why));
}

std::vector<std::string> image_suffixes() { return {kImageSuffixes.begin(), kImageSuffixes.end()}; }

// Returns the suffixes that an alias names, such as "jpg+png", "seg.png" or "image".
std::vector<std::string> named_suffixes(const StreamOptions& declared) {
  const std::string_view text = declared.alias.empty() ? declared.name : declared.alias;
  std::vector<std::string> suffixes;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('+', begin), text.size());
    const std::string suffix = lower_case(text.substr(begin, end - begin));
    if (suffix.empty()) refuse(declared, formatted("{} names no suffix", quoted(text)));
    if (suffix == kImageStream) {
      suffixes.insert(suffixes.end(), kImageSuffixes.begin(), kImageSuffixes.end());
    } else {
      suffixes.push_back(suffix);
    }
    begin = end + 1;
  }
  return suffixes;
}

void set_numbers(EntryStream& stream, StreamContent content, std::int64_t class_count) {
  stream.content = content;
  stream.class_count = class_count;
  if (content == StreamContent::ids) {
    stream.stream.element_type = ElementType::i32;
    stream.stream.sample_shape = Shape{1};
    return;
  }
  stream.stream.element_type = ElementType::f32;
  stream.stream.storage = Storage::sparse;
  stream.stream.sample_shape = Shape{class_count};
}

void set_bytes(EntryStream& stream) {
  stream.stream.element_type = ElementType::bytes;
  stream.stream.sample_shape = Shape{Shape::kVariable};
}

EntryStream sparse_stream(const StreamOptions& declared, EntryStream stream,
                          const ReadOptions& options) {
  if (declared.dtype.value_or(ElementType::f32) != ElementType::f32) {
    refuse(declared, formatted("a sparse stream of labels has values of f32, not {}",
                               to_string(*declared.dtype)));
  }
  std::int64_t dim = options.class_count;
  if (declared.sample_shape) {
    internal::check_sample_shape(declared.name, *declared.sample_shape, Storage::sparse,
                                 declared.index_dtype);
    dim = declared.sample_shape->size();
  }
  if (dim == 0) {
    refuse(declared,
           "a sparse stream of labels needs its number of classes, as a shape such as "
           "[1000] or by webdataset.classes");
  }
  if (declared.index_dtype != ElementType::i32) refuse(declared, "indices of labels are i32");
  set_numbers(stream, StreamContent::one_hot, dim);
  return stream;
}

EntryStream declared_stream(const StreamOptions& declared, const ReadOptions& options) {
  EntryStream stream;
  stream.stream.name = declared.name;
  stream.stream.defines_minibatch_size = declared.defines_minibatch_size;
  stream.suffixes = named_suffixes(declared);
  const auto image_count = std::ranges::count_if(stream.suffixes, is_image_suffix);
  stream.has_frames = options.joins_frames && image_count > 0;
  if (stream.has_frames && stream.suffixes != image_suffixes()) {
    refuse(declared,
           "with webdataset.frames=true all suffixes of images are one stream: give it "
           "the alias image");
  }
  if (declared.storage == Storage::sparse) {
    if (stream.has_frames) refuse(declared, "images are bytes, not labels");
    return sparse_stream(declared, std::move(stream), options);
  }
  const bool is_label = stream.suffixes == std::vector<std::string>{std::string(kLabelSuffix)};
  const ElementType type =
      declared.dtype.value_or(is_label ? ElementType::i32 : ElementType::bytes);
  if (type == ElementType::i32 && !stream.has_frames) {
    if (declared.sample_shape.value_or(Shape{1}) != Shape{1}) {
      refuse(declared,
             formatted("a label has the shape [1], not {}", to_string(*declared.sample_shape)));
    }
    set_numbers(stream, StreamContent::ids, options.class_count);
    return stream;
  }
  if (type != ElementType::bytes) {
    refuse(declared, formatted("entries are read as bytes, or as i32 where they are labels, not "
                               "as {}; the transform cast gives other types",
                               to_string(type)));
  }
  const Shape any{Shape::kVariable};
  if (declared.sample_shape.value_or(any) != any) {
    refuse(declared, formatted("bytes have the shape {}, not {}", to_string(any),
                               to_string(*declared.sample_shape)));
  }
  set_bytes(stream);
  return stream;
}

std::int64_t class_count_of(std::string_view text) {
  if (text == kClassesValues.front()) return 0;
  std::int64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || stop != end || count < 1 ||
      count > std::numeric_limits<std::int32_t>::max()) {
    throw ConfigError(
        formatted("webdataset.classes: expected unknown, or a number from 1 to 2^31-1, "
                  "found {}",
                  quoted(text)));
  }
  return count;
}

void check_common(const FormatOptions& options) {
  check_format_options("webdataset", kReadOptions, options.extra);
  if (options.read_size_bytes < 1) throw ConfigError("read_size_bytes must be positive");
  if (options.chunk_size_bytes < 1) throw ConfigError("chunk_size_bytes must be positive");
  if (options.compatibility == Compatibility::cntk) {
    throw ConfigError("compatibility: CNTK has no reader of tar shards to be compatible with");
  }
  if (options.skip_sequence_ids) {
    throw ConfigError("skip_sequence_ids: the names of the entries of a shard are its keys");
  }
  if (options.dtype && *options.dtype != ElementType::f32) {
    throw ConfigError(
        formatted("dtype: labels are i32, or sparse f32, not {}; declare streams "
                  "with their types",
                  to_string(*options.dtype)));
  }
}

}  // namespace

bool takes(const EntryStream& stream, std::string_view suffix) {
  return std::ranges::any_of(stream.suffixes, [&](const std::string& own) {
    return std::ranges::equal(own, suffix,
                              [](char a, char b) { return a == b || (a == '_' && b == '.'); });
  });
}

ReadOptions read_options_of(const FormatOptions& options) {
  check_common(options);
  ReadOptions result;
  result.labels = value_of(kLabelsOption, options.extra) == "one_hot" ? StreamContent::one_hot
                                                                      : StreamContent::ids;
  result.class_count = class_count_of(value_of(kClassesOption, options.extra));
  if (result.labels == StreamContent::one_hot && result.class_count == 0) {
    throw ConfigError(
        "webdataset.labels: one_hot needs the number of classes: webdataset.classes=1000");
  }
  result.joins_frames = value_of(kFramesOption, options.extra) == "true";
  result.reads_images = value_of(kHeadersOption, options.extra) == "read";
  result.has_text_keys = options.keys.value_or(KeyType::text) == KeyType::text;
  result.allows_missing = options.missing_streams == MissingStreams::allow;
  result.chunk_size_bytes = options.chunk_size_bytes;
  result.read_size_bytes = options.read_size_bytes;
  for (const StreamOptions& declared : options.streams) {
    const bool is_known = std::ranges::any_of(result.declared, [&](const EntryStream& other) {
      return other.stream.name == declared.name;
    });
    if (is_known) refuse(declared, "is declared twice");
    result.declared.push_back(declared_stream(declared, result));
  }
  return result;
}

std::vector<EntryStream> found_streams(const ReadOptions& options,
                                       std::span<const std::string> suffixes, bool has_two_images) {
  const bool joins_images = options.joins_frames || !has_two_images;
  std::vector<EntryStream> streams;
  for (const std::string& suffix : suffixes) {
    const bool is_image = is_image_suffix(suffix);
    EntryStream stream;
    stream.stream.name =
        is_image && joins_images ? std::string(kImageStream) : stream_name_of(suffix);
    const auto same = std::ranges::find_if(
        streams, [&](const EntryStream& other) { return other.stream.name == stream.stream.name; });
    if (same != streams.end()) {
      if (is_image && joins_images && is_image_suffix(same->suffixes.front())) continue;
      throw ConfigError(formatted(
          "streams: the suffixes {} and {} would both be the stream {}; declare the streams",
          same->suffixes.front(), suffix, quoted(stream.stream.name)));
    }
    if (is_image && joins_images) {
      stream.suffixes = image_suffixes();
      stream.has_frames = options.joins_frames;
    } else {
      stream.suffixes = {suffix};
    }
    if (suffix == kLabelSuffix) {
      set_numbers(stream, options.labels, options.class_count);
    } else {
      set_bytes(stream);
    }
    streams.push_back(std::move(stream));
  }
  return streams;
}

}  // namespace sheaf::webdataset
