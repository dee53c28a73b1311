#include "format/text/scanned_index.h"

#include <string>
#include <utility>

#include "sheaf/error.h"

#include "format/text/text_chunks.h"

namespace sheaf::internal {

ScannedIndex::ScannedIndex(Parts parts)
    : ScannedIndex(std::make_shared<const TextChunks>(std::move(parts))) {}

ScannedIndex::ScannedIndex(const std::shared_ptr<const TextChunks>& text)
    : GrowingIndex(text,
                   {.source = text->parts().source,
                    .files = text->parts().files,
                    .options = text->parts().options,
                    .identity = text->parts().identity,
                    .warning_code = text->parts().warning_code},
                   text->parts().may_repeat_keys),
      text_(*text) {}

SequenceLocation ScannedIndex::first_location(const SequenceKey& key) const {
  for (ChunkIndex i{};; i = next(i)) {
    const std::optional<ChunkInfo> info = chunk(i);
    if (!info) break;
    const std::shared_ptr<const SequenceTable> table = sequences(i);
    for (std::int64_t k = 0; k < table->size(); ++k) {
      if (table->key(k) != key) continue;
      return {.line = info->first_line + table->first_line(k),
              .offset = info->offset_bytes + table->offset_bytes(k)};
    }
  }
  throw InternalError("index: a key that no sequence has");
}

CostMeasure ScannedIndex::cost_measure() const {
  const std::string_view name = text_.parts().cost_name;
  return {.name = name.empty() ? "bytes" : std::string(name)};
}

// A chunk begins with its first sequence, and its bytes end where the next chunk begins.
std::int64_t ScannedIndex::chunk_cost(ChunkIndex chunk) const {
  if (!text_.parts().cost_name.empty()) return GrowingIndex::chunk_cost(chunk);
  const std::optional<ChunkInfo> info = this->chunk(chunk);
  return info ? info->size_bytes : 0;
}

const std::optional<FoundStreams>& ScannedIndex::found() const noexcept {
  return text_.parts().found;
}

}  // namespace sheaf::internal
