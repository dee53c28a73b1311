/// \file
/// The chunks of one member of a mixture, as a data set.

#pragma once

#include <cstdint>
#include <optional>

#include "sheaf/extend/counts.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// Chunks [first, end) of other counts, numbered from 0.
class MemberCounts final : public Counts {
 public:
  /// Lifetime: `counts` must outlive the object.
  MemberCounts(const Counts& counts, std::int64_t first, std::int64_t end) noexcept
      : counts_(counts), first_(first), end_(end) {}

  [[nodiscard]] std::int64_t first() const noexcept { return first_; }

  /// Returns the number of a chunk among the chunks of all members.
  [[nodiscard]] ChunkIndex outer(ChunkIndex chunk) const noexcept {
    return ChunkIndex{static_cast<std::int64_t>(chunk) + first_};
  }

  [[nodiscard]] std::optional<ChunkCounts> chunk_counts(ChunkIndex chunk) const override {
    if (static_cast<std::int64_t>(chunk) >= end_ - first_) return std::nullopt;
    return counts_.chunk_counts(outer(chunk));
  }
  [[nodiscard]] SampleCounts sample_counts(ChunkIndex chunk) const override {
    return counts_.sample_counts(outer(chunk));
  }
  [[nodiscard]] bool reads_parts() const noexcept override { return counts_.reads_parts(); }
  [[nodiscard]] bool can_be_cut() const noexcept override { return counts_.can_be_cut(); }
  [[nodiscard]] CostMeasure cost_measure() const override { return counts_.cost_measure(); }
  [[nodiscard]] std::optional<SampleCounts> costs(ChunkIndex chunk) const override {
    return counts_.costs(outer(chunk));
  }
  [[nodiscard]] std::int64_t chunk_cost(ChunkIndex chunk) const override {
    return counts_.chunk_cost(outer(chunk));
  }

 private:
  const Counts& counts_;
  std::int64_t first_;
  std::int64_t end_;
};

}  // namespace sheaf::internal
