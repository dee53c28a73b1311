// What was decoded while the index was made, until it is asked for.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sheaf/extend/chunk.h"
#include "sheaf/extend/counts.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/types.h"

#include "reader/fetch/chunk_memory.h"

namespace sheaf::internal {

/// Where the units of a chunk begin, by the numbers of sequences; the first at 0.
using UnitBegins = const std::vector<std::int64_t>*;

/// Sequences that were decoded: those of `chunk` from number `first` on.
struct DecodedRange {
  ChunkRange range;
  std::shared_ptr<const Chunk> chunk;  // null: they were not decoded
  std::int64_t first = 0;
};

/// Threads: begins_of() may be called from any; the others one call at a time.
class DecodedRanges final : public DecodedSink {
 public:
  /// Takes the sequences of data of at most so many chunks.
  explicit DecodedRanges(std::int64_t chunk_count_max) noexcept
      : chunk_count_max_(chunk_count_max) {}

  [[nodiscard]] std::int64_t chunk_count_max() const noexcept override { return chunk_count_max_; }

  void add(const ChunkRange& range, std::shared_ptr<const Chunk> decoded,
           std::int64_t first) override {
    OfChunk& of_chunk = chunks_[range.chunk];
    of_chunk.begins.push_back(range.first);
    if (decoded == nullptr) return;
    bytes_ += held_bytes(*decoded, range.count);
    of_chunk.ranges.push_back({range, std::move(decoded), first});
  }

  /// Returns null where nothing of the chunk was decoded.
  ///
  /// Lifetime: of the list, as long as this object.
  [[nodiscard]] UnitBegins begins_of(ChunkIndex chunk) const noexcept {
    const auto found = chunks_.find(chunk);
    return found == chunks_.end() ? nullptr : &found->second.begins;
  }

  /// Hand over a range, if it is there. It is not kept.
  [[nodiscard]] std::optional<DecodedRange> take(const ChunkRange& range) {
    const auto chunk = chunks_.find(range.chunk);
    if (chunk == chunks_.end()) return std::nullopt;
    for (DecodedRange& each : chunk->second.ranges) {
      if (each.range != range || each.chunk == nullptr) continue;
      bytes_ -= held_bytes(*each.chunk, range.count);
      return DecodedRange{each.range, std::exchange(each.chunk, nullptr), each.first};
    }
    return std::nullopt;
  }

  /// Memory of the ranges that were not handed over yet.
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }

 private:
  struct OfChunk {
    std::vector<std::int64_t> begins;
    std::vector<DecodedRange> ranges;
  };

  const std::int64_t chunk_count_max_;
  std::unordered_map<ChunkIndex, OfChunk> chunks_;
  std::int64_t bytes_ = 0;
};

}  // namespace sheaf::internal
