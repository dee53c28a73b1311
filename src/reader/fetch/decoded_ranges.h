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
  std::vector<FoundRange> ranges_;
};

}  // namespace sheaf::internal
