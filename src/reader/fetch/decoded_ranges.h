// Sequences that were decoded while the index was built.

#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sheaf/extend/chunk.h"
#include "sheaf/extend/counts.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// Where the units of a chunk begin, by the numbers of sequences; the first at 0.
using UnitBegins = const std::vector<std::int64_t>*;

/// The sequences of a range: those of `chunk` from number `first` on.
struct DecodedRange {
  ChunkRange range;
  std::shared_ptr<const Chunk> chunk;
  std::int64_t first = 0;
};

/// Collects the sequences that threads decode while they build the index. Later the cache of units
/// takes the sequences, and the places where units begin stay here.
///
/// Threads: any number of threads may call begins_of() once the index is built; else one call at a
///          time.
class DecodedRanges final : public DecodedSink {
 public:
  /// Collects the sequences of data of at most so many chunks.
  explicit DecodedRanges(std::int64_t chunk_count_max) noexcept
      : chunk_count_max_(chunk_count_max) {}

  [[nodiscard]] std::int64_t chunk_count_max() const noexcept override { return chunk_count_max_; }

  void add(const ChunkRange& range, std::shared_ptr<const Chunk> decoded,
           std::int64_t first) override {
    begins_[range.chunk].push_back(range.first);
    if (decoded != nullptr) ranges_.push_back({range, std::move(decoded), first});
  }

  /// Returns where the units of a chunk begin; null where the units are those of the index.
  ///
  /// Lifetime: as long as this object.
  [[nodiscard]] UnitBegins begins_of(ChunkIndex chunk) const noexcept {
    const auto found = begins_.find(chunk);
    return found == begins_.end() ? nullptr : &found->second;
  }

  /// Hands over all sequences. None are left.
  [[nodiscard]] std::vector<DecodedRange> take() noexcept { return std::exchange(ranges_, {}); }

 private:
  const std::int64_t chunk_count_max_;
  std::unordered_map<ChunkIndex, std::vector<std::int64_t>> begins_;
  std::vector<DecodedRange> ranges_;
};

}  // namespace sheaf::internal
