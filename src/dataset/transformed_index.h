/// \file
/// The index of data with transforms: how many samples a sequence has after them, and how much
/// memory it takes.

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sheaf/extend/index.h"

#include "dataset/recent_cache.h"
#include "transform/chain.h"

namespace sheaf::internal {

/// Counts the samples after a chain, and the bytes that the chain makes. All else is as in the
/// index of the data: the order does not depend on the bytes.
///
/// Threads: all calls are safe from any number of threads.
class TransformedIndex final : public Index {
 public:
  /// Lifetime: both must outlive the index.
  TransformedIndex(const Index& index, const TransformChain& chain)
      : index_(index), chain_(chain), tables_(kTablesBytes) {}

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override;
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override;
  [[nodiscard]] std::string source_name(std::int64_t source) const override {
    return index_.source_name(source);
  }
  [[nodiscard]] std::int64_t memory_bytes() const override;
  [[nodiscard]] bool reads_parts() const noexcept override { return index_.reads_parts(); }
  [[nodiscard]] const Mixture* mixture() const noexcept override { return index_.mixture(); }
  [[nodiscard]] std::vector<std::int64_t> member_ends() const override {
    return index_.member_ends();
  }
  [[nodiscard]] CostMeasure cost_measure() const override { return index_.cost_measure(); }
  [[nodiscard]] std::int64_t chunk_cost(ChunkIndex chunk) const override {
    return index_.chunk_cost(chunk);
  }

 private:
  [[nodiscard]] std::int64_t sample_count(ChunkIndex chunk) const;

  static constexpr std::int64_t kTablesBytes = std::int64_t{4} << 20;

  const Index& index_;
  const TransformChain& chain_;
  mutable RecentCache<SequenceTable> tables_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<ChunkIndex, std::int64_t> sample_counts_;  // of chunks, where changed
};

}  // namespace sheaf::internal
