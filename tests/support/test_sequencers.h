/// \file
/// Orders that jump, give bad advice, or deliver steps that a test wrote down.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/extend/counts.h"
#include "sheaf/extend/sequencer.h"
#include "sheaf/types.h"

namespace sheaf::testing {

/// Jumps over all chunks, in minibatches of two sequences. The chunks of a sweep are released at
/// its end. With slices, a step delivers the first sample of each sequence, and the next step the
/// rest.
class JumpingSequencer final : public Sequencer {
 public:
  JumpingSequencer(const Counts& counts, std::int64_t sweeps, bool has_slices = false)
      : sweeps_(sweeps), has_slices_(has_slices) {
    for (ChunkIndex chunk{}; counts.chunk_counts(chunk); chunk = sheaf::next(chunk)) {
      const SampleCounts samples = counts.sample_counts(chunk);
      for (std::int64_t i = 0; i < samples.size(); ++i) all_.push_back({chunk, i});
      chunks_.push_back({chunk});
    }
  }

  [[nodiscard]] std::string_view algorithm() const noexcept override { return "jumping"; }
  [[nodiscard]] std::map<std::string, std::string> options() const override { return {}; }

  [[nodiscard]] std::optional<Step> step(const Place& from, OrderCursor& /*cursor*/,
                                         const StepRoom& /*room*/) const override {
    if (from.sweep >= sweeps_) return std::nullopt;
    const std::int64_t parts = has_slices_ ? 2 : 1;
    const std::int64_t size = std::ssize(all_);
    Step step;
    std::int64_t at = from.sequence;  // counts pairs of sequences, or half pairs with slices
    const std::int64_t first = at / parts * 2;
    for (std::int64_t i = first; i < std::min(first + 2, size); ++i) {
      step.sequences.push_back(all_[static_cast<std::size_t>(i * 7 % size)]);
      if (has_slices_) {
        step.slices.push_back(at % 2 == 0 ? SampleRange{0, 1} : SampleRange{1, 1000});
      }
    }
    ++at;
    step.ends_sweep = at / parts * 2 >= size;
    step.next = step.ends_sweep ? Place{.sweep = from.sweep + 1}
                                : Place{.sweep = from.sweep, .sequence = at};
    step.ends_epoch = step.next.sweep >= sweeps_;
    if (step.ends_sweep) step.passed = chunks_;
    return step;
  }

 private:
  std::int64_t sweeps_;
  bool has_slices_;
  std::vector<SequenceRef> all_;  // the number of sequences must not be divisible by 7
  std::vector<ChunkRange> chunks_;
};

/// The steps of another order, with useless advice about memory: for each place, arbitrary ranges
/// are in the window or passed. The ranges depend on the place only.
class FickleSequencer final : public Sequencer {
 public:
  /// Pre: seed > 0.
  FickleSequencer(const Counts& counts, std::unique_ptr<Sequencer> order, std::uint64_t seed)
      : order_(std::move(order)), seed_(seed) {
    for (ChunkIndex chunk{}; true; chunk = sheaf::next(chunk)) {
      const std::optional<ChunkCounts> sizes = counts.chunk_counts(chunk);
      if (!sizes) break;
      const std::int64_t count = sizes->sequence_count;
      const std::int64_t units = sizes->unit_count;
      ranges_.push_back({chunk});
      for (std::int64_t unit = 0; unit < units; ++unit) {
        const std::int64_t first = unit * count / units;
        const std::int64_t end = (unit + 1) * count / units;
        ranges_.push_back({chunk, first, end - first});
        ranges_.push_back({chunk, first, end - first + 1});  // overlaps the next unit by one
                                                             // sequence, or goes beyond the end of
                                                             // the chunk
      }
      for (std::int64_t i = 0; i < count; ++i) {
        ranges_.push_back({chunk, i, 1});
        ranges_.push_back({chunk, i, i % 7 + 2});
      }
    }
  }

  [[nodiscard]] std::string_view algorithm() const noexcept override { return order_->algorithm(); }
  [[nodiscard]] std::map<std::string, std::string> options() const override {
    return order_->options();
  }

  [[nodiscard]] std::unique_ptr<OrderCursor> make_cursor() const override {
    return order_->make_cursor();
  }
  [[nodiscard]] std::optional<Step> step(const Place& from, OrderCursor& cursor,
                                         const StepRoom& room) const override {
    std::optional<Step> step = order_->step(from, cursor, room);
    if (step) step->passed = some_ranges(from, 2, 20);
    return step;
  }
  [[nodiscard]] WindowChange window_change(const std::optional<Place>& from, const Place& to,
                                           OrderCursor& /*cursor*/) const override {
    const std::vector<ChunkRange> before = from ? window(*from) : std::vector<ChunkRange>();
    const std::vector<ChunkRange> after = window(to);
    WindowChange change;
    std::ranges::set_difference(after, before, std::back_inserter(change.load));
    std::ranges::set_difference(before, after, std::back_inserter(change.release));
    return change;
  }

 private:
  // Returns few or many ranges.
  [[nodiscard]] std::vector<ChunkRange> window(const Place& place) const {
    return some_ranges(place, 1, 2 + static_cast<std::uint64_t>(place.sequence % 30));
  }

  /// Returns about one in `of` ranges, in ascending order.
  [[nodiscard]] std::vector<ChunkRange> some_ranges(const Place& place, std::uint64_t purpose,
                                                    std::uint64_t of) const {
    std::uint64_t state =
        seed_ * purpose + static_cast<std::uint64_t>(place.sweep * 1000 + place.sequence);
    std::vector<ChunkRange> some;
    for (const ChunkRange& range : ranges_) {
      state = state * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
      if ((state >> 33U) % of == 0) some.push_back(range);
    }
    std::ranges::sort(some);
    return some;
  }

  std::unique_ptr<Sequencer> order_;
  std::uint64_t seed_;
  std::vector<ChunkRange> ranges_;
};

/// A step that a test wrote down, with the ranges that enter or leave the window. A range that does
/// both is needed for this step only.
struct WrittenStep {
  std::vector<SequenceRef> sequences{};
  std::vector<SampleRange> slices{};
  std::vector<std::int64_t> slots{};
  std::vector<ChunkRange> load{};
  std::vector<ChunkRange> release{};
};

/// Delivers written steps. The place of a step is its number.
class WrittenSequencer final : public Sequencer {
 public:
  explicit WrittenSequencer(const std::vector<WrittenStep>& steps) : windows_(1) {
    for (const WrittenStep& written : steps) {
      Step step{.sequences = written.sequences, .slices = written.slices, .slots = written.slots};
      std::set<ChunkRange> window = windows_.back();
      window.insert(written.load.begin(), written.load.end());
      for (const ChunkRange& range : written.release) {
        if (!windows_.back().contains(range)) step.passed.push_back(range);
        window.erase(range);
      }
      step.next.sequence = std::ssize(steps_) + 1;
      steps_.push_back(std::move(step));
      windows_.push_back(std::move(window));
    }
  }

  [[nodiscard]] std::string_view algorithm() const noexcept override { return "written"; }
  [[nodiscard]] std::map<std::string, std::string> options() const override { return {}; }
  [[nodiscard]] std::optional<Step> step(const Place& from, OrderCursor& /*cursor*/,
                                         const StepRoom& /*room*/) const override {
    if (from.sequence >= std::ssize(steps_)) return std::nullopt;
    return steps_[static_cast<std::size_t>(from.sequence)];
  }
  [[nodiscard]] WindowChange window_change(const std::optional<Place>& from, const Place& to,
                                           OrderCursor& /*cursor*/) const override {
    const std::set<ChunkRange> before = from ? window(*from) : std::set<ChunkRange>();
    const std::set<ChunkRange> after = window(to);
    WindowChange change;
    std::ranges::set_difference(after, before, std::back_inserter(change.load));
    std::ranges::set_difference(before, after, std::back_inserter(change.release));
    return change;
  }

 private:
  [[nodiscard]] const std::set<ChunkRange>& window(const Place& place) const {
    return windows_.at(static_cast<std::size_t>(place.sequence));
  }

  std::vector<Step> steps_;
  std::vector<std::set<ChunkRange>> windows_;  // before each step, and after the last one
};

}  // namespace sheaf::testing
