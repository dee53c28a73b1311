/// \file
/// The index of data with transforms: the number of samples of each sequence after the
/// transforms, and the memory that the sequences take.

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "dataset/forwarded_index.h"
#include "dataset/recent_cache.h"
#include "transform/chain.h"

namespace sheaf::internal {

/// Counts the samples after a chain, and the bytes that the chain makes. Forwards everything else
/// to the index of the data, since the order does not depend on the bytes.
///
/// Threads: all calls are safe from any number of threads.
class TransformedIndex final : public ForwardedIndex {
 public:
  /// Lifetime: `index` and `chain` must outlive the object.
  TransformedIndex(const Index& index, const TransformChain& chain)
      : ForwardedIndex(index), chain_(chain), tables_(kTablesBytes) {}

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override;
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override;
  [[nodiscard]] std::int64_t memory_bytes() const override;
  [[nodiscard]] std::optional<std::int64_t> cut_length(ChunkIndex chunk,
                                                       std::int64_t sequence) const override;

 private:
  [[nodiscard]] std::int64_t sample_count(ChunkIndex chunk) const;

  static constexpr std::int64_t kTablesBytes = std::int64_t{4} << 20;

  const TransformChain& chain_;
  mutable RecentCache<SequenceTable> tables_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<ChunkIndex, std::int64_t> sample_counts_;  // of chunks, if changed
};

}  // namespace sheaf::internal
