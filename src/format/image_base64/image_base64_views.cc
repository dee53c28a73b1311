#include "format/image_base64/image_base64_views.h"

namespace sheaf::image_base64 {

ChunkInfo with_views(ChunkInfo lines, std::int64_t view_count) noexcept {
  lines.sequence_count *= view_count;
  lines.sample_count = lines.sequence_count;
  return lines;
}

std::optional<ChunkInfo> ViewsIndex::chunk(ChunkIndex chunk) const {
  const std::optional<ChunkInfo> lines = lines_.chunk(chunk);
  if (!lines) return lines;
  return with_views(*lines, views_);
}

std::shared_ptr<const SequenceTable> ViewsIndex::sequences(ChunkIndex chunk) const {
  const std::shared_ptr<const SequenceTable> lines = lines_.sequences(chunk);
  const SampleCounts costs = *lines_.costs(chunk);
  SequenceTable::Builder views;
  for (std::int64_t i = 0; i < lines->size(); ++i) {
    const SequenceInfo line{.key = lines->key(i),
                            .offset_bytes = lines->offset_bytes(i),
                            .first_line = lines->first_line(i),
                            .sample_count = 1,
                            .cost = costs[i]};
    for (std::int64_t view = 0; view < views_; ++view) views.push_back(line);
  }
  return std::make_shared<const SequenceTable>(views.finish());
}

std::int64_t ViewsIndex::chunk_cost(ChunkIndex chunk) const {
  // The cost in bytes is known without the sequences. The cost in pixels is summed up, because it
  // may overflow.
  if (lines_.cost_measure().name != "bytes") return Index::chunk_cost(chunk);
  return views_ * lines_.chunk_cost(chunk);
}

}  // namespace sheaf::image_base64
