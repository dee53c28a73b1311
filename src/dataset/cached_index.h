/// \file
/// The index of data that have a cache.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "sheaf/extend/index.h"

namespace sheaf::internal {

/// The index of the data, which also counts the memory that the cache uses for its work.
class CachedIndex final : public Index {
 public:
  /// Lifetime: `index` must outlive it.
  CachedIndex(const Index& index, std::int64_t cache_bytes) noexcept
      : index_(index), cache_bytes_(cache_bytes) {}

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override {
    return index_.chunk(chunk);
  }
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override {
    return index_.sequences(chunk);
  }
  [[nodiscard]] std::string source_name(std::int64_t source) const override {
    return index_.source_name(source);
  }
  [[nodiscard]] std::int64_t memory_bytes() const override {
    return index_.memory_bytes() + cache_bytes_;
  }
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
  const Index& index_;
  const std::int64_t cache_bytes_;
};

}  // namespace sheaf::internal
