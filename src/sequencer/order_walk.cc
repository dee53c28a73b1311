#include <iterator>
#include <utility>

#include "sheaf/extend/sequencer.h"

namespace sheaf {

OrderWalk::OrderWalk(const Sequencer& sequencer, Place start)
    : sequencer_(sequencer), cursor_(sequencer.make_cursor()), place_(std::move(start)) {}

// Sets the place last, so that an exception leaves the walk unchanged.
std::optional<OrderWalk::Next> OrderWalk::next(const StepRoom& room) {
  WindowChange before;
  if (!holds_window_) before = sequencer_.window_change({}, place_, *cursor_);
  std::optional<Step> step = sequencer_.step(place_, *cursor_, room);
  if (!step) return std::nullopt;
  WindowChange change = sequencer_.window_change(place_, step->next, *cursor_);
  Next next{.step = *std::move(step), .load = std::move(before.load), .release = {}};
  const std::vector<ChunkRange>& passed = next.step.passed;
  next.load.insert(next.load.end(), change.load.begin(), change.load.end());
  for (const ChunkRange& range : passed) {
    if (range != ChunkRange{range.chunk}) next.load.push_back(range);
  }
  next.release = std::move(change.release);
  next.release.insert(next.release.end(), passed.begin(), passed.end());
  holds_window_ = true;
  place_ = next.step.next;
  return next;
}

}  // namespace sheaf
