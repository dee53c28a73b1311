#include "format/ctf/ctf_outcome.h"

#include <utility>

#include <fmt/format.h>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/chunk.h"

#include "format/ctf/ctf_deserializer.h"

namespace sheaf::ctf {
namespace {

std::string samples_text(const Stream& stream, const SequenceView& view) {
  if (!view.is_present) return "absent";
  const auto* const values = reinterpret_cast<const double*>(view.values);
  const auto* const indices = reinterpret_cast<const std::int32_t*>(view.indices);
  const bool is_sparse = stream.storage == Storage::sparse;
  std::string text;
  std::int64_t at = 0;
  for (std::int64_t k = 0; k < view.sample_count; ++k) {
    const std::int64_t count = is_sparse ? view.sample_offsets[k + 1] - view.sample_offsets[k]
                                         : stream.sample_shape.size();
    text += is_sparse ? '{' : '(';
    for (std::int64_t i = 0; i < count; ++i, ++at) {
      if (i > 0) text += ' ';
      if (is_sparse) text += fmt::format("{}:", indices[at]);
      text += fmt::format("{}", values[at]);
    }
    text += is_sparse ? '}' : ')';
  }
  return text;
}

std::string sequence_text(const Deserializer& data, const Chunk& chunk, std::int64_t sequence) {
  if (chunk.is_hole(sequence)) return "!";
  std::string text;
  for (std::size_t s = 0; s < data.streams().size(); ++s) {
    const SequenceView view = chunk.view(static_cast<std::int64_t>(s), sequence);
    text += ':' + samples_text(data.streams()[s], view);
  }
  return text;
}

std::string location_text(const Diagnostic& diagnostic) {
  return fmt::format(" {} {}:{}", diagnostic.code, diagnostic.line, diagnostic.column);
}

}  // namespace

StreamOptions dense(std::string name, std::int64_t dim) {
  return {.name = std::move(name), .sample_shape = Shape{dim}, .dtype = ElementType::f64};
}

StreamOptions sparse(std::string name, std::int64_t dim) {
  StreamOptions stream = dense(std::move(name), dim);
  stream.storage = Storage::sparse;
  return stream;
}

StreamOptions defining(StreamOptions stream) {
  stream.defines_minibatch_size = true;
  return stream;
}

std::string outcome(std::string text, const FormatOptions& options) {
  const CtfDeserializer data(memory_source(std::move(text), "text"), options);
  const bool is_cntk = options.compatibility == Compatibility::cntk;
  std::string sequences;
  std::string wrong;
  std::int64_t wrong_count = 0;
  for (ChunkIndex i{}; data.index().chunk(i); i = next(i)) {
    const auto table = data.index().sequences(i);
    Diagnostics diagnostics;
    const Chunk chunk = data.read({.chunk = i}, diagnostics);
    for (const Diagnostic& diagnostic : diagnostics.described()) {
      if (!is_cntk) wrong += location_text(diagnostic);
      if (diagnostic.severity == Severity::error)
        ++wrong_count;  // fatal errors do not use the
                        // budget
    }
    for (std::int64_t k = 0; k < table->size(); ++k) {
      const std::string key(chunk.key_text(k));
      sequences += fmt::format("{}/{}{} ", key.empty() ? to_string(table->key(k)) : key,
                               table->sample_count(k), sequence_text(data, chunk, k));
    }
  }
  if (is_cntk) return fmt::format("{}err {}", sequences, wrong_count);
  for (const Diagnostic& warning : data.warnings()) wrong += " warn" + location_text(warning);
  return fmt::format("{}err{}", sequences, wrong.empty() ? " 0" : wrong);
}

}  // namespace sheaf::ctf
