/// \file
/// An index that forwards to another one.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sheaf/extend/index.h"

#include "core/cut_lengths.h"

namespace sheaf::internal {

/// Forwards all calls to another index. Derive from this class to override some of them.
class ForwardedIndex : public Index, public CutLengths {
 public:
  /// Lifetime: `index` must outlive the object.
  explicit ForwardedIndex(const Index& index) noexcept
      : index_(index), lengths_(cut_lengths_of(index)) {}

  [[nodiscard]] std::optional<ChunkInfo> chunk(ChunkIndex chunk) const override {
    return index_.chunk(chunk);
  }
  [[nodiscard]] std::shared_ptr<const SequenceTable> sequences(ChunkIndex chunk) const override {
    return index_.sequences(chunk);
  }
  [[nodiscard]] std::string source_name(std::int64_t source) const override {
    return index_.source_name(source);
  }
  [[nodiscard]] std::int64_t stored_size_bytes(ChunkIndex chunk) const override {
    return index_.stored_size_bytes(chunk);
  }
  [[nodiscard]] std::int64_t memory_bytes() const override { return index_.memory_bytes(); }
  [[nodiscard]] bool reads_parts() const noexcept override { return index_.reads_parts(); }
  [[nodiscard]] bool can_be_cut() const noexcept override { return index_.can_be_cut(); }
  [[nodiscard]] const Mixture* mixture() const noexcept override { return index_.mixture(); }
  [[nodiscard]] std::vector<std::int64_t> member_ends() const override {
    return index_.member_ends();
  }
  [[nodiscard]] CostMeasure cost_measure() const override { return index_.cost_measure(); }
  [[nodiscard]] std::int64_t chunk_cost(ChunkIndex chunk) const override {
    return index_.chunk_cost(chunk);
  }
  [[nodiscard]] bool has_cut_lengths() const noexcept override { return lengths_ != nullptr; }
  [[nodiscard]] std::optional<std::int64_t> cut_length(ChunkIndex chunk,
                                                       std::int64_t sequence) const override {
    return cut_length_of(index_, lengths_, chunk, sequence);
  }

 protected:
  [[nodiscard]] const Index& index() const noexcept { return index_; }

 private:
  const Index& index_;
  const CutLengths* const lengths_;
};

}  // namespace sheaf::internal
