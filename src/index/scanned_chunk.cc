#include "index/scanned_chunk.h"

#include <algorithm>
#include <string>
#include <utility>

#include "index/scanned_block.h"

namespace sheaf::internal {

ChunkBuilder::ChunkBuilder(const TextSchema& schema, std::int64_t chunk_size_bytes)
    : schema_(schema), chunk_size_bytes_(chunk_size_bytes), streams_(schema.streams.size()) {}

ChunkBuilder::ChunkBuilder(const TextSchema& schema, const ScanPart& part)
    : ChunkBuilder(schema, part.chunk_size_bytes) {
  block_ = part.block;
}

std::optional<ScannedChunk> ChunkBuilder::add(const Sequence& sequence,
                                              std::span<const StreamCounts> streams) {
  std::optional<ScannedChunk> full;
  if (block_ != nullptr) {
    block_->sequences.push_back(sequence);
    block_->counts.insert(block_->counts.end(), streams.begin(), streams.end());
    return full;
  }
  // What lies between sequences (others that were dropped) does not count for the one that is new.
  if (table_.size() > 0 &&
      chunk_.size_bytes + (sequence.end - sequence.offset) > chunk_size_bytes_) {
    full = finish();
  }
  if (table_.size() == 0) {
    chunk_.offset_bytes = sequence.offset;
    chunk_.first_line = sequence.line;
  }
  table_.push_back({.key = sequence.key,
                    .offset_bytes = sequence.offset - chunk_.offset_bytes,
                    .first_line = sequence.line - chunk_.first_line,
                    .sample_count = sequence.sample_count});
  chunk_.sample_count += sequence.sample_count;
  if (schema_.has_text_keys) {
    // A short text is within its string.
    constexpr auto kStringSize = std::int64_t{sizeof(std::string)};
    key_texts_size_ += kStringSize + std::max(kStringSize, sequence.key_text_size);
  }
  chunk_.size_bytes = sequence.end - chunk_.offset_bytes;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    streams_[i].sample_count += streams[i].sample_count;
    streams_[i].pair_count += streams[i].pair_count;
  }
  return full;
}

std::optional<ScannedChunk> ChunkBuilder::finish() {
  if (table_.size() == 0) return std::nullopt;
  chunk_.sequence_count = table_.size();
  chunk_.decoded_size_bytes = decoded_size_bytes();
  ScannedChunk chunk{.info = std::exchange(chunk_, {}),
                     .sequences = table_.finish(),
                     .notes = {.streams = streams_, .unit_hashes = {}, .repeated = {}}};
  std::ranges::fill(streams_, StreamCounts{});
  key_texts_size_ = 0;
  return chunk;
}

std::int64_t ChunkBuilder::decoded_size_bytes() const {
  constexpr std::int64_t kOffsetSize = sizeof(std::int64_t);
  std::int64_t sum = key_texts_size_;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const Stream& stream = schema_.streams[i];
    const StreamCounts& counts = streams_[i];
    sum += (table_.size() + 1) * (kOffsetSize + 1);
    if (stream.storage == Storage::dense) {
      // A sample that is too short is an error; text cannot be denser than a digit and a blank.
      const std::int64_t size = stream.sample_shape.size();
      const std::int64_t sample_size = schema_.fills_up ? size : std::min(size, chunk_.size_bytes);
      sum += counts.sample_count * sample_size * element_size(stream.element_type);
    } else {
      sum += (counts.sample_count + 1) * kOffsetSize;
      sum +=
          counts.pair_count * (element_size(stream.element_type) + element_size(stream.index_type));
    }
  }
  return sum;
}

}  // namespace sheaf::internal
