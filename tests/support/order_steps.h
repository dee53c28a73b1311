/// \file
/// Asks orders for steps, one by one.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sheaf/extend/sequencer.h"

namespace sheaf::testing {

/// A step of a walk, with the ranges that a reader loads before the step and releases after it.
struct WalkedStep : Step {
  std::vector<ChunkRange> load{};
  std::vector<ChunkRange> release{};
};

/// Returns the steps from `place` on, at most `step_count_max` of them.
inline std::vector<WalkedStep> walk(const Sequencer& sequencer, const Place& place = {},
                                    std::int64_t step_count_max = 1000) {
  std::vector<WalkedStep> steps;
  OrderWalk order(sequencer, place);
  while (std::ssize(steps) < step_count_max) {
    std::optional<OrderWalk::Next> next = order.next();
    if (!next) break;
    steps.push_back({{std::move(next->step)}, std::move(next->load), std::move(next->release)});
  }
  return steps;
}

/// A sequencer with its own cursor.
class Stepper {
 public:
  /// Lifetime: the sequencer must outlive the stepper.
  explicit Stepper(const Sequencer& sequencer)
      : sequencer_(sequencer), cursor_(sequencer.make_cursor()) {}

  std::optional<Step> step(const Place& from, const StepRoom& room = {}) {
    return sequencer_.step(from, *cursor_, room);
  }
  std::optional<Step> sequence_at(std::int64_t sweep, std::int64_t number) {
    return sequencer_.sequence_at(sweep, number, *cursor_);
  }
  WindowChange window_change(const std::optional<Place>& from, const Place& to) {
    return sequencer_.window_change(from, to, *cursor_);
  }

 private:
  const Sequencer& sequencer_;
  std::unique_ptr<OrderCursor> cursor_;
};

/// Returns the step at a place, with a fresh cursor.
inline std::optional<Step> step_of(const Sequencer& sequencer, const Place& from,
                                   const StepRoom& room = {}) {
  return Stepper(sequencer).step(from, room);
}

/// Returns the ranges in the window at a place, in ascending order.
inline std::vector<ChunkRange> window_of(const Sequencer& sequencer, const Place& at) {
  return Stepper(sequencer).window_change({}, at).load;
}

}  // namespace sheaf::testing
