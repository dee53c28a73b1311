// Sequences that were decoded while the index was built.

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sheaf/extend/chunk.h"
#include "sheaf/extend/counts.h"
#include "sheaf/extend/decoded_sink.h"
#include "sheaf/types.h"

#include "base/shared_block.h"
#include "reader/fetch/held_chunk.h"

namespace sheaf::internal {

/// Where the units of a chunk begin, by the numbers of sequences; the first at 0.
using UnitBegins = const std::vector<std::int64_t>*;

/// How much memory each of these units takes.
using UnitSizes = const std::vector<std::int64_t>*;

/// The sequences of a range: those of `chunk` from number `first` on.
struct FoundRange {
  ChunkRange range;
  std::shared_ptr<const HeldChunk> chunk;
  std::int64_t first = 0;
};

/// Collects the sequences that threads decode while they build the index, with narrow columns.
/// Later the cache of units takes the sequences, and the places where units begin stay here.
///
/// Threads: any number of threads may call keep(), and begins_of() once the index is built; else
///          one call at a time.
class DecodedRanges final : public DecodedSink {
 public:
  /// Collects the sequences of data of at most so many chunks, with these streams.
  ///
  /// Lifetime: `streams` must outlive the ranges.
  DecodedRanges(std::int64_t chunk_count_max, std::span<const Stream> streams) noexcept
      : chunk_count_max_(chunk_count_max), streams_(streams) {}

  [[nodiscard]] std::int64_t chunk_count_max() const noexcept override { return chunk_count_max_; }

  [[nodiscard]] Kept keep(Chunk decoded) override;
  void add(const ChunkRange& range, Kept kept, std::int64_t first) override;

  /// Ends the collection: no more sequences come.
  void end() noexcept { memory_.clear(); }

  /// Returns where the units of a chunk begin; null where the units are those of the index.
  ///
  /// Lifetime: as long as this object.
  [[nodiscard]] UnitBegins begins_of(ChunkIndex chunk) const noexcept {
    const auto found = begins_.find(chunk);
    return found == begins_.end() ? nullptr : &found->second;
  }

  /// Tells how much memory each unit of a chunk takes, those included that were not decoded.
  ///
  /// Pre: all units of the chunk were added.
  void set_held_bytes(ChunkIndex chunk, std::vector<std::int64_t> held_bytes) {
    held_bytes_[chunk] = std::move(held_bytes);
  }

  /// Returns what set_held_bytes() was told of a chunk; null where it was told nothing.
  ///
  /// Lifetime: as long as this object.
  [[nodiscard]] UnitSizes held_bytes_of(ChunkIndex chunk) const noexcept {
    const auto found = held_bytes_.find(chunk);
    return found == held_bytes_.end() ? nullptr : &found->second;
  }

  /// Tells how much memory there must have been to read a unit, beyond that for the held ones.
  void set_reading_bytes(std::int64_t bytes) noexcept { reading_bytes_ = bytes; }
  [[nodiscard]] std::int64_t reading_bytes() const noexcept { return reading_bytes_; }

  /// Forgets all sequences and units.
  void clear() noexcept;

  /// Hands over all sequences. None are left.
  [[nodiscard]] std::vector<FoundRange> take() noexcept { return std::exchange(ranges_, {}); }

 private:
  [[nodiscard]] SharedBlock::Maker take_memory();
  void keep_memory(SharedBlock::Maker memory);

  const std::int64_t chunk_count_max_;
  const std::span<const Stream> streams_;
  std::mutex mutex_;
  std::vector<SharedBlock::Maker> memory_;  // with room for more chunks; under the mutex
  std::unordered_map<ChunkIndex, std::vector<std::int64_t>> begins_;
  std::unordered_map<ChunkIndex, std::vector<std::int64_t>> held_bytes_;
  std::int64_t reading_bytes_ = 0;
  std::vector<FoundRange> ranges_;
};

}  // namespace sheaf::internal
