#include "format/jsonl/jsonl_deserializer.h"

#include <iterator>
#include <utility>

#include "base/text.h"
#include "format/jsonl/jsonl_errors.h"
#include "format/jsonl/jsonl_infer.h"
#include "format/jsonl/jsonl_options.h"
#include "format/jsonl/jsonl_parser.h"
#include "format/jsonl/jsonl_scanner.h"
#include "format/text/recalled_streams.h"

namespace sheaf::jsonl {
namespace {

// Returns the options that change keys, locations or values. Streams are up to the reader.
std::string data_options_of(const FormatOptions& options, const Schema& schema) {
  std::string text = formatted("chunk={}", options.chunk_size_bytes);
  if (schema.key_mode != KeyMode::lines) {
    text += formatted(":keys={}:key={}", schema.has_text_keys ? "text" : "numeric",
                      sheaf::quoted(schema.key_field));
  }
  if (schema.allows_missing) text += ":missing_streams=allow";
  for (const StreamOptions& stream : options.streams) {
    if (!stream.alias.empty()) text += formatted(":{}={}", stream.name, stream.alias);
  }
  return text;
}

}  // namespace

JsonlDeserializer::JsonlDeserializer(const std::shared_ptr<const ByteSource>& source,
                                     const FormatOptions& options, const Context& context,
                                     std::optional<internal::FoundStreams> found)
    : JsonlDeserializer(source, resolve(*source, options, context, std::move(found))) {}

JsonlDeserializer::Parts JsonlDeserializer::resolve(const ByteSource& source,
                                                    const FormatOptions& options,
                                                    const Context& context,
                                                    std::optional<internal::FoundStreams> found) {
  check_options(options);
  const bool needs = needs_streams(options);
  if (!needs) static_cast<void>(make_schema(options, {}));  // checks before it reads data
  Parts parts{options, &context.file_system(), find_beginning(source, options),
              source.fingerprint(), std::move(found)};
  if (!needs) return parts;
  if (!parts.found) {
    parts.found = internal::recall_or_find_streams(
        source, parts.fingerprint, options.index, context.file_system(), found_how(source, options),
        [&] { return find_streams(source, options, parts.beginning, context.executor); });
  }
  if (parts.found->streams.empty()) throw_no_stream(source, options, parts.beginning);
  parts.options.streams = infer_streams(*parts.found, options, source.name());
  return parts;
}

JsonlDeserializer::JsonlDeserializer(std::shared_ptr<const ByteSource> source, const Parts& parts)
    : source_(std::move(source)),
      schema_(make_schema(parts.options, parts.beginning)),
      data_options_(data_options_of(parts.options, schema_)),
      fingerprint_(parts.fingerprint),
      index_(index_parts(parts)) {}

internal::ScannedIndex::Parts JsonlDeserializer::index_parts(const Parts& parts) const {
  using internal::BlockFormat;
  std::string text = "jsonl 1:" + data_options_;
  for (const Stream& stream : schema_.streams) {
    text += formatted("; {}{}", to_string(stream), stream.defines_minibatch_size ? " mb" : "");
  }
  const bool has_keys = schema_.key_mode != KeyMode::lines;
  return {
      .source = source_,
      .rows = {.begin = parts.beginning.offset,
               .end = source_->size(),
               .chunk_size_bytes = schema_.chunk_size_bytes},
      .make_scanner =
          [this](const internal::ScanPart& part) { return make_scanner(*source_, schema_, part); },
      .blocks = BlockFormat{
          .schema = &schema_,
          .key_numbers = has_keys ? BlockFormat::Numbers::none : BlockFormat::Numbers::rows,
          .find_start = [this](std::int64_t from,
                               std::int64_t to) { return find_start(*source_, schema_, from, to); },
          .read = [this](const internal::ScanPart& part,
                         bool decodes) { return read_block(part, decodes); }},
      .stream_count = std::ssize(schema_.streams),
      .may_repeat_keys = has_keys,
      .may_drop = schema_.defining_stream >= 0,
      .options = parts.options.index,
      .files = parts.files,
      .identity = {.options = std::move(text),
                   .data = fingerprint_,
                   .modified_ns = source_->modified_ns()},
      .found = parts.found,
      .warning_code = kIndexFileCode};
}

// Scans a block. Also decodes the block if the index keeps all its sequences and none is wrong.
internal::ScannedBlock JsonlDeserializer::read_block(internal::ScanPart part, bool decodes) const {
  if (decodes && schema_.defining_stream < 0 && !schema_.allows_missing) {
    internal::ScannedBlock block(*source_);
    part.block = &block;
    Diagnostics diagnostics(0);
    Chunk chunk = Parser(*source_, schema_, index_, part, diagnostics).parse();
    if (diagnostics.entries().empty()) {
      keep_decoded(schema_, std::move(chunk), block);
      return block;
    }
  }
  internal::ScannedBlock block(*source_);
  part.block = &block;
  static_cast<void>(make_scanner(*source_, schema_, part)->next());
  return block;
}

std::string JsonlDeserializer::fingerprint() const {
  return formatted("jsonl:{}:{}", to_string(fingerprint_), data_options_);
}

Chunk JsonlDeserializer::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  return Parser(*source_, schema_, index_, range, diagnostics).parse();
}

void JsonlDeserializer::build_index(Executor& executor, DecodedSink* sink) const {
  index_.build(executor, sink);
}

}  // namespace sheaf::jsonl
