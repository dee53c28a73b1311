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

/// The numbers of the first sequences of a chunk's units. The first number is 0.
using UnitBegins = const std::vector<std::int64_t>*;

/// The memory of each of these units.
using UnitSizes = const std::vector<std::int64_t>*;

/// The decoded sequences of a range: the sequences of `chunk` from number `first` on.
struct FoundRange {
  ChunkRange range;
  std::shared_ptr<const HeldChunk> chunk;
  std::int64_t first = 0;
};

/// Collects the sequences that threads decode while building the index, with narrow columns. Later,
/// the unit cache takes the sequences. This object keeps where units begin.
///
/// Threads: any number of threads may call keep() and, after the index is built, begins_of(). Other
///          calls: one at a time.
class DecodedRanges final : public DecodedSink {
 public:
  /// Collects sequences with these streams, if the data have at most `chunk_count_max` chunks.
  ///
  /// Lifetime: `streams` must outlive the ranges.
  DecodedRanges(std::int64_t chunk_count_max, std::span<const Stream> streams) noexcept
      : chunk_count_max_(chunk_count_max), streams_(streams) {}

  [[nodiscard]] std::int64_t chunk_count_max() const noexcept override { return chunk_count_max_; }

  [[nodiscard]] Kept keep(Chunk decoded) override;
  void add(const ChunkRange& range, Kept kept, std::int64_t first) override;

  /// Ends the collection: no more sequences come.
  void end() noexcept { memory_.clear(); }

  /// Returns where the units of a chunk begin. Returns null if the units are the units of the
  /// index.
  ///
  /// Lifetime: as long as this object.
  [[nodiscard]] UnitBegins begins_of(ChunkIndex chunk) const noexcept {
    const auto found = begins_.find(chunk);
    return found == begins_.end() ? nullptr : &found->second;
  }

  /// Sets how much memory each unit of a chunk takes, including units that were not decoded.
  ///
  /// Pre: all units of the chunk were added.
  void set_held_bytes(ChunkIndex chunk, std::vector<std::int64_t> held_bytes) {
    held_bytes_[chunk] = std::move(held_bytes);
  }

  /// Returns the sizes that set_held_bytes() set for a chunk; null if none were set.
  ///
  /// Lifetime: as long as this object.
  [[nodiscard]] UnitSizes held_bytes_of(ChunkIndex chunk) const noexcept {
    const auto found = held_bytes_.find(chunk);
    return found == held_bytes_.end() ? nullptr : &found->second;
  }

  /// Sets how much memory reading one unit needed, in addition to the memory of the held units.
  void set_reading_bytes(std::int64_t bytes) noexcept { reading_bytes_ = bytes; }
  [[nodiscard]] std::int64_t reading_bytes() const noexcept { return reading_bytes_; }

  /// Drops all sequences and units.
  void clear() noexcept;

  /// Removes and returns all sequences.
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
