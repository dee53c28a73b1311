#include "format/cbf/cbf_schema.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"
#include "core/memory_limit.h"
#include "format/cbf/cbf_errors.h"
#include "format/cbf/cbf_options.h"

namespace sheaf::cbf {
namespace {

[[noreturn]] void refuse(const StreamOptions& options, const std::string& why) {
  throw ConfigError(formatted("stream {}: {}", quoted(options.name), why));
}

const std::string& file_name_of(const StreamOptions& options) {
  return options.alias.empty() ? options.name : options.alias;
}

// Returns the stream under its name in the file.
Stream stream_of(const FileStream& file, std::optional<ElementType> type) {
  return {.name = file.name,
          .element_type = type.value_or(file.element_type),
          .sample_shape = Shape{file.dim},
          .storage = file.storage};
}

// Returns the stream as the options describe it.
Stream stream_of(const FileStream& file, const StreamOptions& options,
                 std::optional<ElementType> type, bool is_cntk) {
  if (options.name.empty()) throw ConfigError("streams: a stream needs a name");
  Stream stream = stream_of(file, options.dtype ? options.dtype : type);
  stream.name = options.name;
  if (is_cntk) return stream;  // CNTK uses only the name
  if (options.storage != file.storage) {
    refuse(options, formatted("{} was asked for, the file has it {}", to_string(options.storage),
                              to_string(file.storage)));
  }
  if (options.sample_shape) {
    const Shape& shape = *options.sample_shape;
    const bool is_sparse = file.storage == Storage::sparse;
    if (!shape.is_fixed() || (is_sparse && shape.rank() != 1) || shape.size() != file.dim) {
      refuse(options, formatted("the shape {} was asked for, the file has {} values",
                                to_string(shape), file.dim));
    }
    stream.sample_shape = shape;
  }
  stream.index_type = options.index_dtype;
  return stream;
}

void check_stream(const StreamOptions& options, const Stream& stream, bool is_cntk) {
  if (stream.element_type != ElementType::f32 && stream.element_type != ElementType::f64) {
    refuse(options,
           formatted("dtype: cbf reads f32 or f64, got {}", to_string(stream.element_type)));
  }
  if (stream.index_type != ElementType::i32 && stream.index_type != ElementType::i64) {
    refuse(options, formatted("index_dtype: i32 or i64, got {}", to_string(stream.index_type)));
  }
  if (options.defines_minibatch_size && !is_cntk) {
    refuse(options,
           "defines_minibatch_size: cbf stores the length of each sequence, which counts; it is "
           "chosen when the file is written");
  }
}

std::string listed(std::span<const FileStream> file) {
  std::string text;
  for (const FileStream& stream : file) {
    text += formatted("{}{}", text.empty() ? "" : ", ", quoted(stream.name));
  }
  return text;
}

// Selects the requested streams, in their order.
void select(Schema& schema, const FormatOptions& options, const ByteSource& source,
            std::span<const FileStream> file) {
  std::set<std::string_view> read;
  for (const StreamOptions& each : options.streams) {
    const auto found = std::ranges::find(file, file_name_of(each), &FileStream::name);
    if (found == file.end()) {
      refuse(each, formatted("{} has no {}; it has {}", source.name(), quoted(file_name_of(each)),
                             listed(file)));
    }
    if (!read.insert(found->name).second) {
      refuse(each, formatted("another one reads {} of the file, too", quoted(found->name)));
    }
    Stream stream = stream_of(*found, each, options.dtype, false);
    check_stream(each, stream, false);
    schema.streams.push_back(std::move(stream));
    schema.file_streams.push_back(found - file.begin());
  }
}

// Takes all streams of the file and renames some, which is the meaning of `input` in CNTK. If two
// entries rename the same stream, the later one wins.
void rename(Schema& schema, const FormatOptions& options, const ByteSource& source,
            std::span<const FileStream> file, std::int64_t stream_table_offset) {
  for (std::int64_t i = 0; i < std::ssize(file); ++i) {
    schema.streams.push_back(stream_of(file[static_cast<std::size_t>(i)], options.dtype));
    schema.file_streams.push_back(i);
  }
  for (const StreamOptions& each : options.streams) {
    const auto found = std::ranges::find(file, file_name_of(each), &FileStream::name);
    if (found == file.end()) {
      Diagnostic& warning = schema.warnings.emplace_back(
          wrong_at(source, stream_table_offset, kUnknownStream, quoted(file_name_of(each))));
      warning.severity = Severity::warning;
      warning.hint = "the file has " + listed(file);
      continue;
    }
    Stream stream = stream_of(*found, each, options.dtype, true);
    check_stream(each, stream, true);
    schema.streams[static_cast<std::size_t>(found - file.begin())] = std::move(stream);
  }
}

void warn_of_conversions(Schema& schema, const ByteSource& source, std::span<const FileStream> file,
                         std::int64_t stream_table_offset) {
  for (std::int64_t i = 0; i < std::ssize(schema.streams); ++i) {
    if (!schema.converts_values(i, file)) continue;
    const Stream& stream = schema.streams[static_cast<std::size_t>(i)];
    const FileStream& stored =
        file[static_cast<std::size_t>(schema.file_streams[static_cast<std::size_t>(i)])];
    if (stored.element_type == ElementType::f32) continue;  // exact
    Diagnostic warning =
        wrong_at(source, stream_table_offset, kConverted,
                 formatted("{}, which is rounded to {}", to_string(stored.element_type),
                           to_string(stream.element_type)));
    warning.severity = Severity::warning;
    warning.stream = stream.name;
    schema.warnings.push_back(std::move(warning));
  }
}

}  // namespace

void check_options(const FormatOptions& options) {
  if (options.chunk_size_bytes < 1) {
    throw ConfigError(formatted("chunk_size_bytes: at least 1, got {}", options.chunk_size_bytes));
  }
  if (options.read_size_bytes < 1) {
    throw ConfigError(formatted("read_size_bytes: at least 1, got {}", options.read_size_bytes));
  }
  internal::check_memory_limit("index.memory_limit_bytes", options.index.memory_limit_bytes);
  if (options.keys == KeyType::text) {
    throw ConfigError("keys: cbf has no keys; those of its sequences are their numbers, not texts");
  }
  if (options.skip_sequence_ids && options.compatibility == Compatibility::strict) {
    throw ConfigError("skip_sequence_ids: cbf has no sequence ids");
  }
  check_format_options("cbf", kReadOptions, options.extra);
}

bool trusts_lengths(const FormatOptions& options) {
  return value_of(kLengthsOption, options.extra) == "trust";
}

Schema make_schema(const FormatOptions& options, const ByteSource& source,
                   std::span<const FileStream> file, std::int64_t stream_table_offset) {
  Schema schema;
  schema.allows_missing = options.missing_streams == MissingStreams::allow;
  schema.trusts_lengths = trusts_lengths(options);
  const bool is_cntk = options.compatibility == Compatibility::cntk;
  if (options.streams.empty() || is_cntk) {
    rename(schema, options, source, file, stream_table_offset);
  } else {
    select(schema, options, source, file);
  }
  std::set<std::string_view> names;
  for (const Stream& stream : schema.streams) {
    if (!names.insert(stream.name).second) {
      throw ConfigError(formatted("streams: two have the name {}", quoted(stream.name)));
    }
    if (stream.element_type != ElementType::f32 && stream.element_type != ElementType::f64) {
      throw ConfigError(formatted("stream {}: dtype: cbf reads f32 or f64, got {}",
                                  quoted(stream.name), to_string(stream.element_type)));
    }
  }
  warn_of_conversions(schema, source, file, stream_table_offset);
  return schema;
}

}  // namespace sheaf::cbf
