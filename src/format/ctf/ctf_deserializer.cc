#include "format/ctf/ctf_deserializer.h"

#include <optional>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"
#include "format/ctf/cntk/ctf_cntk_parser.h"
#include "format/ctf/ctf_infer.h"
#include "format/ctf/ctf_parser.h"
#include "format/text/recalled_streams.h"
#include "format/text/text_format.h"

namespace sheaf::ctf {
namespace {

/// Returns the options that change keys, locations or values. Streams are up to the reader.
std::string data_options_of(const FormatOptions& options) {
  std::string text = formatted("chunk={}", options.chunk_size_bytes);
  if (options.compatibility == Compatibility::cntk) text += ":compatibility=cntk";
  if (options.missing_streams == MissingStreams::allow) text += ":missing_streams=allow";
  if (options.keys == KeyType::text) text += ":keys=text";
  if (options.skip_sequence_ids) text += ":skip_sequence_ids";
  for (const StreamOptions& stream : options.streams) {
    if (!stream.alias.empty()) text += formatted(":{}={}", stream.name, stream.alias);
  }
  return text;
}

internal::IndexIdentity identity_of(const ByteSource& source, const Schema& schema,
                                    const std::string& data_options, const Fingerprint& data) {
  std::string text = "ctf 3:" + data_options;
  for (const Stream& stream : schema.streams) {
    text += formatted("; {}{}", to_string(stream), stream.defines_minibatch_size ? " mb" : "");
  }
  return {.options = std::move(text), .data = data, .modified_ns = source.modified_ns()};
}

}  // namespace

CtfDeserializer::CtfDeserializer(const std::shared_ptr<const ByteSource>& source,
                                 const FormatOptions& options, const Context& context,
                                 std::optional<internal::FoundStreams> found)
    : CtfDeserializer(source, resolve(*source, options, context, std::move(found))) {}

CtfDeserializer::Parts CtfDeserializer::resolve(const ByteSource& source,
                                                const FormatOptions& options,
                                                const Context& context,
                                                std::optional<internal::FoundStreams> found) {
  check_options(options);
  if (!internal::needs_inference(options))
    static_cast<void>(make_schema(options));  // checks the options before it reads data
  Parts parts{options, &context.file_system(), find_beginning(source, options),
              source.fingerprint(), std::move(found)};
  if (internal::needs_inference(options)) {
    if (!parts.found)
      parts.found = internal::recall_or_find_streams(
          source, parts.fingerprint, options.index, context.file_system(),
          found_how(source, options),
          [&] { return find_streams(source, options, parts.beginning, context.executor); });
    if (parts.found->streams.empty()) throw_no_stream(source, options, parts.beginning);
    parts.options.streams = infer_streams(*parts.found, options, source.name());
  }
  return parts;
}

CtfDeserializer::CtfDeserializer(std::shared_ptr<const ByteSource> source, const Parts& parts)
    : source_(std::move(source)),
      beginning_(parts.beginning),
      schema_(make_schema(parts.options)),
      data_options_(data_options_of(parts.options)),
      fingerprint_(parts.fingerprint),
      index_(source_, schema_, beginning_, parts.options.index, *parts.files,
             identity_of(*source_, schema_, data_options_, fingerprint_), parts.found) {}

std::span<const Stream> CtfDeserializer::streams() const noexcept { return schema_.streams; }

const Index& CtfDeserializer::index() const noexcept { return index_; }

std::string CtfDeserializer::fingerprint() const {
  return formatted("ctf:{}:{}", to_string(fingerprint_), data_options_);
}

Chunk CtfDeserializer::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  if (schema_.is_cntk) {
    return CntkParser(*source_, schema_, beginning_, index_, range, diagnostics).parse();
  }
  return Parser(*source_, schema_, beginning_.mode, index_, range, diagnostics).parse();
}

void CtfDeserializer::build_index(Executor& executor, DecodedSink* sink) const {
  index_.build(executor, sink);
}

std::vector<Diagnostic> CtfDeserializer::warnings() const { return index_.warnings(); }

}  // namespace sheaf::ctf
