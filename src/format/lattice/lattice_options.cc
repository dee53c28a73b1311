#include "format/lattice/lattice_options.h"

#include "sheaf/diagnostic.h"
#include "sheaf/error.h"

#include "base/text.h"
#include "format/text/scanned_chunk.h"
#include "format/text/text_format.h"

namespace sheaf::lattice {
namespace {

constexpr std::string_view kStreamName = "lattice";  // name of an undeclared stream

void check_stream(const StreamOptions& declared, const Stream& stream) {
  const auto refuse = [&](const std::string& why) {
    throw ConfigError(formatted("stream {}: {}", quoted(declared.name), why));
  };
  if (declared.name.empty()) throw ConfigError("streams: a stream needs a name");
  if (!declared.alias.empty() && declared.alias != declared.name && declared.alias != kStreamName) {
    refuse(formatted("the one stream of lattices has no name in the files, so there is no alias {}",
                     quoted(declared.alias)));
  }
  if (declared.storage == Storage::sparse) refuse("lattices are dense samples");
  if (declared.dtype.value_or(stream.element_type) != stream.element_type) {
    refuse(formatted("lattice.as={} gives samples of {}, not {}",
                     stream.element_type == ElementType::bytes ? "bytes" : "f32",
                     to_string(stream.element_type), to_string(*declared.dtype)));
  }
  if (declared.sample_shape.value_or(stream.sample_shape) != stream.sample_shape) {
    refuse(formatted("lattice.as={} gives samples of shape {}, not {}",
                     stream.element_type == ElementType::bytes ? "bytes" : "f32",
                     to_string(stream.sample_shape), to_string(*declared.sample_shape)));
  }
}

}  // namespace

ReadOptions read_options_of(const FormatOptions& options) {
  internal::check_text_options(options);
  check_format_options("lattice", kReadOptions, options.extra);
  if (options.skip_sequence_ids) {
    throw ConfigError("skip_sequence_ids: lattices have keys, and each is a sequence");
  }
  if (options.streams.size() > 1) {
    throw ConfigError(formatted("streams: lattices are one stream, not {}; join data for more",
                                options.streams.size()));
  }
  const bool gives_bytes = value_of(kAsOption, options.extra) == "bytes";
  StreamOptions declared{.name = std::string(kStreamName)};
  if (!options.streams.empty()) declared = options.streams.front();
  ReadOptions result;
  result.stream = {.name = declared.name,
                   .element_type = gives_bytes ? ElementType::bytes : ElementType::f32,
                   .sample_shape = gives_bytes ? Shape{Shape::kVariable} : Shape{1},
                   .defines_minibatch_size = declared.defines_minibatch_size,
                   .keeps_together = !gives_bytes,
                   .describes_others = true};
  check_stream(declared, result.stream);
  result.has_text_keys = options.keys == KeyType::text;
  result.checks_blocks = options.compatibility == Compatibility::strict;
  result.chunk_size_bytes = options.chunk_size_bytes;
  result.read_size_bytes = options.read_size_bytes;
  result.row_size_max_bytes =
      internal::row_size_max(options.index.memory_limit_bytes.value_or(0), options.read_size_bytes);
  return result;
}

}  // namespace sheaf::lattice
