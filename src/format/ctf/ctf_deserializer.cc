#include "format/ctf/ctf_deserializer.h"

#include <utility>

#include "base/text.h"
#include "format/ctf/ctf_parser.h"

namespace sheaf::ctf {
namespace {

/// The content, and the options that change keys, places or values; streams are the reader's part.
std::string fingerprint_of(const ByteSource& source, const FormatOptions& options) {
  std::string text =
      formatted("ctf:{}:chunk={}", to_string(source.fingerprint()), options.chunk_size_bytes);
  for (const StreamOptions& stream : options.streams) {
    if (!stream.alias.empty()) text += formatted(":{}={}", stream.name, stream.alias);
  }
  return text;
}

}  // namespace

CtfDeserializer::CtfDeserializer(std::shared_ptr<const ByteSource> source,
                                 const FormatOptions& options)
    : source_(std::move(source)),
      schema_(make_schema(options)),
      beginning_(find_beginning(*source_, options.read_size_bytes)),
      fingerprint_(fingerprint_of(*source_, options)),
      index_(source_, schema_, beginning_) {}

std::span<const Stream> CtfDeserializer::streams() const noexcept { return schema_.streams; }

const Index& CtfDeserializer::index() const noexcept { return index_; }

std::string CtfDeserializer::fingerprint() const { return fingerprint_; }

Chunk CtfDeserializer::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  return Parser(*source_, schema_, beginning_.mode, index_, range, diagnostics).parse();
}

}  // namespace sheaf::ctf
