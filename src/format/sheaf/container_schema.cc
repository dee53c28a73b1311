#include "format/sheaf/container_schema.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/nearest.h"

#include "base/text.h"
#include "core/element_cast.h"
#include "core/memory_limit.h"
#include "format/sample_shape.h"

namespace sheaf::container {
namespace {

[[noreturn]] void refuse(std::string_view stream, const std::string& why) {
  throw ConfigError(formatted("stream {}: {}", sheaf::quoted(stream), why));
}

void check_container_options(const FormatOptions& options, const ContainerNote& note) {
  check_format_options("sheaf", {}, options.extra);
  internal::check_memory_limit("index.memory_limit_bytes", options.index.memory_limit_bytes);
  if (options.keys == KeyType::numeric && note.has_text_keys) {
    throw ConfigError("keys: the keys of the file are texts, and not numbers");
  }
  if (options.skip_sequence_ids) {
    throw ConfigError("skip_sequence_ids: sheaf stores whole sequences, and no rows");
  }
}

std::string listed_streams(const ContainerNote& note) {
  std::string text;
  for (const Stream& stream : note.streams) {
    text += (text.empty() ? "" : ", ") + sheaf::quoted(stream.name);
  }
  return text;
}

const Stream& stream_named(const ContainerNote& note, const std::string& stream,
                           const std::string& name, const ByteSource& source) {
  const auto found = std::ranges::find(note.streams, name, &Stream::name);
  if (found != note.streams.end()) return *found;
  std::vector<std::string> names;
  for (const Stream& each : note.streams) names.push_back(each.name);
  const std::string nearest(nearest_name(name, names));
  refuse(stream,
         formatted("{} has no stream {}{}; the streams are {}", source.name(), sheaf::quoted(name),
                   nearest.empty() ? "" : formatted(" ({}?)", sheaf::quoted(nearest)),
                   listed_streams(note)));
}

void set_type(Stream& stream, std::optional<ElementType> wanted) {
  if (!wanted || *wanted == stream.element_type) return;
  if (!internal::can_cast(stream.element_type, *wanted)) {
    refuse(stream.name, formatted("the dtype is {}, and the file has {}", to_string(*wanted),
                                  to_string(stream.element_type)));
  }
  stream.element_type = *wanted;
}

// Sets the shape of a stream. Samples of a variable shape may take any shape of the same rank that
// the file's extents allow. Samples of a fixed shape may take any shape of the same size.
void set_shape(Stream& stream, const Shape& wanted) {
  const Shape& has = stream.sample_shape;
  const bool fits = stream.storage == Storage::sparse || !has.is_fixed() || !wanted.is_fixed()
                        ? wanted == has
                        : wanted.size() == has.size();
  if (!fits) {
    refuse(stream.name, formatted("the shape {} was asked for, and the file has {}",
                                  to_string(wanted), to_string(has)));
  }
  stream.sample_shape = wanted;
}

Stream wanted_stream(const Stream& in_file, const StreamOptions& said,
                     std::optional<ElementType> dtype) {
  Stream stream = in_file;
  stream.name = said.name;
  if (said.storage != in_file.storage) {
    refuse(said.name, formatted("{} was asked for, and the file has {}", to_string(said.storage),
                                to_string(in_file.storage)));
  }
  if (said.sample_shape) set_shape(stream, *said.sample_shape);
  const bool is_bytes = in_file.element_type == ElementType::bytes;
  set_type(stream, said.dtype ? said.dtype : is_bytes ? std::nullopt : dtype);
  if (stream.storage == Storage::sparse && said.index_dtype == ElementType::i64) {
    stream.index_type = ElementType::i64;
  }
  if (said.defines_minibatch_size && !in_file.defines_minibatch_size) {
    refuse(said.name,
           "defines_minibatch_size: sheaf stores the length of each sequence, which counts; it is "
           "chosen when the file is written");
  }
  return stream;
}

}  // namespace

std::int64_t ContainerSchema::stream_of(std::int64_t column) const noexcept {
  const auto found = std::ranges::find(columns, column);
  return found == columns.end() ? -1 : found - columns.begin();
}

ContainerSchema schema_of(const ContainerNote& note, const FormatOptions& options,
                          const ByteSource& source) {
  check_container_options(options, note);
  ContainerSchema schema;
  schema.makes_texts = options.keys == KeyType::text && !note.has_text_keys;
  const auto add = [&](Stream stream, std::int64_t number) {
    schema.streams.push_back(std::move(stream));
    schema.columns.push_back(note.first_stream() + number);
  };
  if (options.streams.empty()) {
    for (std::int64_t i = 0; i < std::ssize(note.streams); ++i) {
      Stream stream = note.streams[static_cast<std::size_t>(i)];
      if (stream.element_type != ElementType::bytes) set_type(stream, options.dtype);
      add(std::move(stream), i);
    }
  }
  std::set<std::string_view> names;
  for (const StreamOptions& said : options.streams) {
    if (said.name.empty()) throw ConfigError("streams: a stream needs a name");
    if (!names.insert(said.name).second) {
      throw ConfigError(formatted("streams: two have the name {}", sheaf::quoted(said.name)));
    }
    const Stream& in_file =
        stream_named(note, said.name, said.alias.empty() ? said.name : said.alias, source);
    const std::int64_t number = &in_file - note.streams.data();
    if (schema.stream_of(note.first_stream() + number) >= 0) {
      refuse(said.name,
             formatted("another stream reads {} of the file, too", sheaf::quoted(in_file.name)));
    }
    add(wanted_stream(in_file, said, options.dtype), number);
  }
  schema.columns_in_file = schema.columns;
  if (note.has_text_keys) schema.columns_in_file.push_back(0);
  std::ranges::sort(schema.columns_in_file);
  return schema;
}

}  // namespace sheaf::container
