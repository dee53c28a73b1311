#include "format/libsvm/libsvm_deserializer.h"

#include <iterator>
#include <utility>

#include "base/text.h"
#include "format/libsvm/libsvm_errors.h"
#include "format/libsvm/libsvm_infer.h"
#include "format/libsvm/libsvm_parser.h"
#include "format/libsvm/libsvm_scanner.h"
#include "format/text/recalled_streams.h"

namespace sheaf::libsvm {
namespace {

/// Returns the options that change keys, locations or values. Streams are up to the reader.
std::string data_options_of(const FormatOptions& options) {
  std::string text = formatted("chunk={}:base={}", options.chunk_size_bytes, base_of(options));
  if (options.skip_sequence_ids) text += ":skip_sequence_ids";
  for (const StreamOptions& stream : options.streams) {
    if (!stream.alias.empty()) text += formatted(":{}={}", stream.name, stream.alias);
  }
  return text;
}

}  // namespace

LibsvmDeserializer::LibsvmDeserializer(const std::shared_ptr<const ByteSource>& source,
                                       const FormatOptions& options, const Context& context,
                                       std::optional<internal::FoundStreams> found)
    : LibsvmDeserializer(source, resolve(*source, options, context, std::move(found))) {}

LibsvmDeserializer::Parts LibsvmDeserializer::resolve(const ByteSource& source,
                                                      const FormatOptions& options,
                                                      const Context& context,
                                                      std::optional<internal::FoundStreams> found) {
  check_options(options);
  const bool needs = needs_dims(options);
  Parts parts{options, &context.file_system(), {}, {}, std::move(found)};
  if (!needs) {
    parts.options.streams = infer_streams({}, options);
    static_cast<void>(make_schema(parts.options));  // checks the options before it reads data
  }
  parts.beginning = find_beginning(source, options);
  parts.fingerprint = source.fingerprint();
  if (needs) {
    if (!parts.found)
      parts.found = internal::recall_or_find_streams(
          source, parts.fingerprint, options.index, context.file_system(),
          found_how(source, options),
          [&] { return find_dims(source, options, parts.beginning, context.executor); });
    parts.options.streams = infer_streams(*parts.found, options);
  }
  return parts;
}

LibsvmDeserializer::LibsvmDeserializer(std::shared_ptr<const ByteSource> source, const Parts& parts)
    : source_(std::move(source)),
      mode_(parts.beginning.mode),
      schema_(make_schema(parts.options)),
      data_options_(data_options_of(parts.options)),
      fingerprint_(parts.fingerprint),
      index_(index_parts(parts)) {}

internal::ScannedIndex::Parts LibsvmDeserializer::index_parts(const Parts& parts) const {
  std::string text = "libsvm 1:" + data_options_;
  for (const Stream& stream : schema_.streams) text += "; " + to_string(stream);
  return {.source = source_,
          .rows = {.begin = parts.beginning.offset,
                   .end = source_->size(),
                   .chunk_size_bytes = schema_.chunk_size_bytes},
          .make_scanner =
              [this](const internal::ScanPart& part) {
                return make_scanner(*source_, schema_, mode_, part);
              },
          .blocks = internal::BlockFormat{
              .schema = &schema_,
              .key_numbers = mode_ == KeyMode::rows ? internal::BlockFormat::Numbers::sequences
                                                    : internal::BlockFormat::Numbers::none,
              .find_start =
                  [this](std::int64_t from, std::int64_t to) {
                    return find_start(*source_, schema_, mode_, from, to);
                  },
              .read = [this](const internal::ScanPart& part,
                             bool decodes) { return read_block(part, decodes); }},
          .stream_count = std::ssize(schema_.streams),
          .may_repeat_keys = mode_ == KeyMode::qids,
          .options = parts.options.index,
          .files = parts.files,
          .identity = {.options = std::move(text),
                       .data = fingerprint_,
                       .modified_ns = source_->modified_ns()},
          .found = parts.found,
          .warning_code = kIndexFileCode};
}

// Scans a block. Also decodes the block if none of its sequences is wrong.
internal::ScannedBlock LibsvmDeserializer::read_block(internal::ScanPart part, bool decodes) const {
  if (decodes) {
    internal::ScannedBlock block(*source_);
    part.block = &block;
    Diagnostics diagnostics(0);
    Chunk chunk = Parser(*source_, schema_, mode_, index_, part, diagnostics).parse();
    if (diagnostics.entries().empty()) {
      keep_decoded(schema_, std::move(chunk), block);
      return block;
    }
  }
  internal::ScannedBlock block(*source_);
  part.block = &block;
  static_cast<void>(make_scanner(*source_, schema_, mode_, part)->next());
  return block;
}

std::span<const Stream> LibsvmDeserializer::streams() const noexcept { return schema_.streams; }

const Index& LibsvmDeserializer::index() const noexcept { return index_; }

std::string LibsvmDeserializer::fingerprint() const {
  return formatted("libsvm:{}:{}", to_string(fingerprint_), data_options_);
}

Chunk LibsvmDeserializer::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  return Parser(*source_, schema_, mode_, index_, range, diagnostics).parse();
}

void LibsvmDeserializer::build_index(Executor& executor, DecodedSink* sink) const {
  index_.build(executor, sink);
}

std::vector<Diagnostic> LibsvmDeserializer::warnings() const { return index_.warnings(); }

}  // namespace sheaf::libsvm
