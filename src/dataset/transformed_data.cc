#include "dataset/transformed_data.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <utility>

#include "sheaf/extend/buffer.h"

#include "base/text.h"
#include "core/column_gatherer.h"
#include "dataset/found_chunks.h"

namespace sheaf::internal {
TransformedData::TransformedData(std::shared_ptr<const Deserializer> source, TransformChain chain)
    : source_(std::move(source)), chain_(std::move(chain)), index_(source_->index(), chain_) {}

std::string TransformedData::fingerprint() const {
  return source_->fingerprint() + "; transforms: " + chain_.text();
}

Chunk TransformedData::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  const Chunk chunk = source_->read(range, diagnostics);
  const std::shared_ptr<const SequenceTable> table = source_->index().sequences(range.chunk);
  const std::size_t stream_count = chain_.streams().size();
  const auto sequence_count = static_cast<std::size_t>(chunk.sequence_count());
  std::pmr::monotonic_buffer_resource memory(&default_memory());
  std::vector<SequenceView> views(sequence_count * stream_count);
  std::vector<SequenceView> sources(static_cast<std::size_t>(chunk.stream_count()));
  std::vector<std::string> texts;
  std::vector<std::int64_t> described;
  const bool describes = std::ranges::any_of(source_->streams(), &Stream::describes_others);
  std::vector<std::int64_t> holes(chunk.holes().begin(), chunk.holes().end());
  TransformChain::Scratch scratch;
  for (std::size_t i = 0; i < sequence_count; ++i) {
    const auto number = static_cast<std::int64_t>(i);
    if (describes) described.push_back(chunk.described_count(number).value_or(-1));
    if (chunk.has_key_texts()) texts.emplace_back(chunk.key_text(number));
    if (chunk.is_hole(number)) continue;
    for (std::size_t s = 0; s < sources.size(); ++s) {
      sources[s] = chunk.view(static_cast<std::int64_t>(s), number);
    }
    const std::int64_t in_chunk = range.first + number;
    ChainedSequence sequence = {.key = table->key(in_chunk), .key_text = chunk.key_text(number)};
    const DrawnNumbers drawn = first_numbers(sources);
    if (chain_.ordered_count() > 0) sequence.drawn = &drawn;
    const auto results = std::span(views).subspan(i * stream_count, stream_count);
    const auto note = [&](TransformDiagnostic finding) {
      diagnostics.add(in_chunk, located(std::move(finding), *source_, range.chunk, in_chunk));
    };
    try {
      static_cast<void>(chain_.apply(sequence, sources, {}, results, memory, scratch));
      for (TransformDiagnostic& warning : scratch.warnings) note(std::move(warning));
    } catch (WrongSequence& wrong) {
      note(std::move(wrong.finding));
      holes.push_back(number);
      std::ranges::fill(results, SequenceView{});
    }
  }
  std::ranges::sort(holes);
  std::vector<Column> columns;
  for (std::size_t s = 0; s < stream_count; ++s) {
    ColumnGatherer gatherer(chain_.streams()[s]);
    for (std::size_t i = 0; i < sequence_count; ++i) gatherer.count(views[i * stream_count + s]);
    gatherer.reserve(chunk.sequence_count());
    for (std::size_t i = 0; i < sequence_count; ++i) gatherer.add(views[i * stream_count + s]);
    columns.push_back(gatherer.finish());
  }
  Chunk made(chain_.streams(), chunk.sequence_count(), std::move(columns), std::move(holes));
  if (!texts.empty()) made.set_key_texts(std::move(texts));
  if (describes) made.set_described_counts(std::move(described));
  return made;
}

// Draws numbers as if the sequence were the first of a run.
DrawnNumbers TransformedData::first_numbers(std::span<const SequenceView> sources) const {
  DrawnNumbers drawn;
  if (chain_.ordered_count() > 0) {
    static_cast<void>(ChainDraws(chain_, {}).draw(0, sources, drawn));
  }
  return drawn;
}

Diagnostic located(TransformDiagnostic finding, const Deserializer& source, ChunkIndex chunk,
                   std::int64_t sequence) {
  Diagnostic& diagnostic = finding.diagnostic;
  Diagnostic location =
      source.location_of(chunk, sequence, static_cast<std::int64_t>(finding.source));
  const std::int64_t in_value = diagnostic.byte_offset;
  if (!location.path.empty()) diagnostic.path = std::move(location.path);
  diagnostic.line = location.line;
  diagnostic.column = location.column;
  if (diagnostic.sequence_key.empty()) diagnostic.sequence_key = std::move(location.sequence_key);
  if (diagnostic.hint.empty()) diagnostic.hint = std::move(location.hint);
  diagnostic.byte_offset = location.byte_offset;
  if (in_value == Diagnostic::kNoOffset) return diagnostic;
  if (location.byte_offset != Diagnostic::kNoOffset) {
    diagnostic.byte_offset += in_value;
  } else {
    diagnostic.found += formatted(", at byte {} of the value", in_value);
  }
  return diagnostic;
}

// Sequences that the source decodes are not those of this data set.
void TransformedData::build_index(Executor& executor, DecodedSink* sink) const {
  FoundChunks found(sink);
  source_->build_index(executor, &found);
}

std::shared_ptr<const Deserializer> source_of(const std::shared_ptr<const Deserializer>& data) {
  const auto* const transformed = dynamic_cast<const TransformedData*>(data.get());
  return transformed == nullptr ? data : transformed->source();
}

const TransformChain* chain_of(const Deserializer& data) noexcept {
  const auto* const transformed = dynamic_cast<const TransformedData*>(&data);
  return transformed == nullptr ? nullptr : &transformed->chain();
}

}  // namespace sheaf::internal
