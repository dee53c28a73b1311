/// \file
/// Laws about the windows at the places of a run.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <vector>

#include <rapidcheck.h>

#include "sheaf/extend/sequencer.h"

#include "sequencer/made_up_options.h"
#include "support/order_steps.h"

namespace sheaf::testing {

/// Returns whether two steps deliver the same sequences. Advice about memory does not count.
inline bool is_same(const Step& a, const Step& b) {
  return a.sequences == b.sequences && a.slices == b.slices && a.slots == b.slots &&
         a.sweep == b.sweep && a.sweeps == b.sweeps && a.sample_count == b.sample_count &&
         a.ends_sweep == b.ends_sweep && a.ends_epoch == b.ends_epoch && a.next == b.next;
}

/// Returns the change from one window to another.
///
/// Pre: both windows are in ascending order.
inline WindowChange window_difference(const std::vector<ChunkRange>& from,
                                      const std::vector<ChunkRange>& to) {
  WindowChange change;
  std::ranges::set_difference(to, from, std::back_inserter(change.load));
  std::ranges::set_difference(from, to, std::back_inserter(change.release));
  return change;
}

/// Asserts that the change between any two places is the difference of their windows, for a cursor
/// that moves on and for a cursor that jumps. After the end of the run there is no window.
///
/// Pre: called within a property of RapidCheck.
/// Pre: within a property of RapidCheck.
inline void assert_windows_of_places(const Sequencer& sequencer) {
  constexpr std::int64_t kStepsMax = 100'000;
  constexpr std::size_t kLookedAt = 60;
  const std::vector<WalkedStep> steps = walk(sequencer, {}, kStepsMax);
  RC_ASSERT(std::ssize(steps) < kStepsMax);
  std::vector<Place> places = {{}};
  for (const WalkedStep& step : steps) places.push_back(step.next);
  const std::size_t first = *any_of<std::size_t>(0, places.size());
  const std::size_t end = std::min(first + kLookedAt, places.size());
  Stepper going(sequencer);
  Stepper jumping(sequencer);
  std::vector<ChunkRange> before = window_of(sequencer, places[first]);
  RC_ASSERT(going.window_change({}, places[first]).load == before);
  for (std::size_t i = first; i + 1 < end; ++i) {
    const std::vector<ChunkRange> after = window_of(sequencer, places[i + 1]);
    RC_ASSERT(is_same(*going.step(places[i]), steps[i]));
    RC_ASSERT(going.window_change(places[i], places[i + 1]) == window_difference(before, after));
    const Place& other = places[*any_of<std::size_t>(0, places.size())];
    const std::vector<ChunkRange> others = window_of(sequencer, other);
    RC_ASSERT(jumping.window_change(other, places[i]) == window_difference(others, before));
    RC_ASSERT(std::ranges::adjacent_find(after) == after.end());
    before = after;
  }
  RC_ASSERT(window_of(sequencer, places.back()).empty());
}

/// Asserts that every delivered sequence is held, in the window or in a range for its step only.
/// Every loaded range is released once, also in a run that begins at any step. At the end, nothing
/// is held.
///
/// Pre: called within a property of RapidCheck. The order has a window.
inline void assert_held_where_delivered(const Sequencer& sequencer) {
  constexpr std::int64_t kStepsMax = 100'000;
  std::vector<WalkedStep> steps = walk(sequencer, {}, kStepsMax);
  if (*rc::gen::arbitrary<bool>()) {
    const std::size_t first = *any_of<std::size_t>(0, steps.size());
    steps = walk(sequencer, first == 0 ? Place{} : steps[first - 1].next, kStepsMax);
  }
  std::set<ChunkRange> held;
  for (const WalkedStep& step : steps) {
    for (const ChunkRange& range : step.load) RC_ASSERT(held.insert(range).second);
    for (const SequenceRef& ref : step.sequences) {
      RC_ASSERT(std::ranges::any_of(
          held, [&](const ChunkRange& range) { return range.contains(ref.chunk, ref.sequence); }));
    }
    for (const ChunkRange& range : step.release) RC_ASSERT(held.erase(range) == 1U);
  }
  RC_ASSERT(held.empty());
}

}  // namespace sheaf::testing
