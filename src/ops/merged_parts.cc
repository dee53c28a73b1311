#include "ops/merged_parts.h"

#include <algorithm>

namespace sheaf::internal {

MergedIndex::MergedIndex(std::span<const OpenPart> parts) : parts_(parts) {
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  for (const OpenPart& part : parts_) {
    bytes_before_.push_back(bytes);
    const Index& index = part.data->index();
    std::int64_t end_bytes = 0;
    for (ChunkIndex number{}; const std::optional<ChunkInfo> info = index.chunk(number);
         number = next(number)) {
      end_bytes = info->offset_bytes + info->size_bytes;
      ++count;
    }
    bytes += end_bytes;
    ends_.push_back(count);
  }
}

MergedIndex::PartChunk MergedIndex::location(ChunkIndex chunk) const noexcept {
  const auto number = static_cast<std::int64_t>(chunk);
  const auto part =
      static_cast<std::size_t>(std::ranges::upper_bound(ends_, number) - ends_.begin());
  const std::int64_t before = part == 0 ? 0 : ends_[part - 1];
  return {.part = part, .chunk = ChunkIndex{number - before}};
}

std::optional<ChunkInfo> MergedIndex::chunk(ChunkIndex chunk) const {
  if (static_cast<std::int64_t>(chunk) >= ends_.back()) return std::nullopt;
  const PartChunk at = location(chunk);
  std::optional<ChunkInfo> info = parts_[at.part].data->index().chunk(at.chunk);
  if (info) info->offset_bytes += bytes_before_[at.part];
  return info;
}

std::shared_ptr<const SequenceTable> MergedIndex::sequences(ChunkIndex chunk) const {
  const PartChunk at = location(chunk);
  return parts_[at.part].data->index().sequences(at.chunk);
}

std::int64_t MergedIndex::stored_size_bytes(ChunkIndex chunk) const {
  const PartChunk at = location(chunk);
  return parts_[at.part].data->index().stored_size_bytes(at.chunk);
}

std::int64_t MergedIndex::memory_bytes() const {
  std::int64_t bytes = 0;
  for (const OpenPart& part : parts_) bytes += part.data->index().memory_bytes();
  return bytes;
}

CostMeasure MergedIndex::cost_measure() const {
  CostMeasure measure = parts_.front().data->index().cost_measure();
  for (const OpenPart& part : parts_) {
    if (part.data->index().cost_measure().name != measure.name) return {};
  }
  return measure;
}

// The fingerprint need not tell parts apart, since no position in parts is ever stored.
std::string MergedParts::fingerprint() const { return parts_.front().note.source; }

Chunk MergedParts::read(const ChunkRange& range, Diagnostics& diagnostics) const {
  const MergedIndex::PartChunk at = index_.location(range.chunk);
  return parts_[at.part].data->read({at.chunk, range.first, range.count}, diagnostics);
}

Diagnostic MergedParts::location_of(ChunkIndex chunk, std::int64_t sequence,
                                    std::int64_t stream) const {
  const MergedIndex::PartChunk at = index_.location(chunk);
  Diagnostic location = parts_[at.part].data->location_of(at.chunk, sequence, stream);
  if (location.path.empty()) location.path = parts_[at.part].path;
  return location;
}

bool MergedParts::ends_input(ChunkIndex chunk) const {
  const MergedIndex::PartChunk at = index_.location(chunk);
  return !std::ranges::binary_search(parts_[at.part].note.open_chunks,
                                     static_cast<std::int64_t>(at.chunk));
}

}  // namespace sheaf::internal
