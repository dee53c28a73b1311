/// \file
/// Counts without data.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/counts.h"
#include "sheaf/extend/sequencer.h"
#include "sheaf/mixture.h"

#include "support/order_steps.h"

namespace sheaf::testing {

using Sizes = std::vector<std::vector<std::int64_t>>;  // [chunk][sequence]: samples

/// Made-up counts that record how far they were asked, and that can fail. Costs are made up, too,
/// and some are 0, unless the test sets a function.
class MadeUpCounts final : public Counts {
 public:
  explicit MadeUpCounts(const Sizes& sizes) {
    for (const std::vector<std::int64_t>& chunk : sizes) add_chunk(chunk, 1);
  }

  /// Appends a chunk of sequences of these sizes, in `unit_count` units.
  void add_chunk(const std::vector<std::int64_t>& sizes, std::int64_t unit_count) {
    PackedInts::Builder builder;
    for (const std::int64_t size : sizes) builder.push_back(size);
    chunks_.push_back(
        {std::ssize(sizes), std::accumulate(sizes.begin(), sizes.end(), 0L), unit_count});
    samples_.push_back(std::make_shared<PackedInts>(builder.finish()));
  }

  /// Appends a chunk of `sequence_count` one-sample sequences, in `unit_count` units.
  void add_chunk(std::int64_t sequence_count, std::int64_t unit_count) {
    chunks_.push_back({sequence_count, sequence_count, unit_count});
    samples_.push_back(std::make_shared<PackedInts>(PackedInts::Line{1, 0}, sequence_count));
  }

  [[nodiscard]] std::optional<ChunkCounts> chunk_counts(ChunkIndex chunk) const override {
    const auto i = static_cast<std::int64_t>(chunk);
    last_asked_ = std::max(last_asked_, i);
    if (i >= fails_from_) throw IoError("made up");
    if (i >= std::ssize(chunks_)) return {};
    return chunks_[static_cast<std::size_t>(i)];
  }

  [[nodiscard]] SampleCounts sample_counts(ChunkIndex chunk) const override {
    return SampleCounts(samples_[static_cast<std::size_t>(chunk)]);
  }

  using Cost = std::function<std::int64_t(std::int64_t chunk, std::int64_t sequence)>;

  [[nodiscard]] bool reads_parts() const noexcept override { return parts_are_read; }
  bool parts_are_read = true;

  [[nodiscard]] bool can_be_cut() const noexcept override { return sequences_can_be_cut; }
  bool sequences_can_be_cut = true;

  [[nodiscard]] CostMeasure cost_measure() const override { return measure_; }

  [[nodiscard]] std::optional<SampleCounts> costs(ChunkIndex chunk) const override {
    if (measure_.name.empty()) return {};
    const auto c = static_cast<std::int64_t>(chunk);
    PackedInts::Builder builder;
    for (std::int64_t i = 0; i < chunks_[static_cast<std::size_t>(c)].sequence_count; ++i) {
      builder.push_back(cost_(c, i));
    }
    return SampleCounts(std::make_shared<PackedInts>(builder.finish()));
  }

  [[nodiscard]] static std::int64_t made_up_cost(std::int64_t chunk, std::int64_t sequence) {
    return std::max<std::int64_t>(0, (7 * chunk + 11 * sequence) % 29 - 4);
  }

  void set_costs(CostMeasure measure, Cost cost) {
    measure_ = std::move(measure);
    cost_ = std::move(cost);
  }

  [[nodiscard]] const Mixture* mixture() const noexcept override {
    return mixture_ ? &*mixture_ : nullptr;
  }
  [[nodiscard]] std::vector<std::int64_t> member_ends() const override { return member_ends_; }

  void set_mixture(Mixture mixture, std::vector<std::int64_t> member_ends) {
    mixture_ = std::move(mixture);
    member_ends_ = std::move(member_ends);
  }

  /// Returns the highest chunk asked for since the last call, or -1.
  [[nodiscard]] std::int64_t take_last_asked() const { return std::exchange(last_asked_, -1); }

  void fail_from(std::int64_t chunk) { fails_from_ = chunk; }
  void set_chunk(std::size_t chunk, ChunkCounts counts) { chunks_[chunk] = counts; }

 private:
  std::vector<ChunkCounts> chunks_;
  std::vector<std::shared_ptr<const PackedInts>> samples_;
  CostMeasure measure_{.name = "points"};
  Cost cost_ = made_up_cost;
  std::optional<Mixture> mixture_;
  std::vector<std::int64_t> member_ends_;
  std::int64_t fails_from_ = std::numeric_limits<std::int64_t>::max();
  mutable std::int64_t last_asked_ = -1;
};

}  // namespace sheaf::testing
