#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sequencer/keyed_walk.h"
#include "sequencer/window_change.h"

// The window of a place has the worker's data of the tick that delivers the next sequence. Within a
// run of batches, the window has the data of all ticks of the run.

namespace sheaf {

// Records the data that entered during the draw, while its sweep still exists.
void KeyedSequencer::Walk::note_entered(Held& held) const {
  if (held.knows_entered) return;
  append_entering(held.first_tick + 1, held.last_tick + 1, held.entered);
  held.knows_entered = true;
}

void KeyedSequencer::Walk::append_own(std::int64_t tick, Which which,
                                      std::vector<ChunkRange>& own) const {
  sweep_->append_own(tick, which, {options_.worker_index, options_.worker_count}, own);
}

// Appends the data that enter with the ticks [begin, end).
void KeyedSequencer::Walk::append_entering(std::int64_t begin, std::int64_t end,
                                           std::vector<ChunkRange>& own) const {
  for (std::int64_t tick = begin; tick < end; ++tick) append_own(tick, Which::entering, own);
}

// Returns whether the walk stands in the last tick of a draw, or in the tick behind it. Then all
// data that entered are still held.
bool KeyedSequencer::Walk::is_near(const Held& held) const noexcept {
  return !held.ends_sweep && tick_number_ <= held.last_tick + 1;
}

// Sets the change from the place where a draw began to the walk's place, and the data that came and
// went in between.
//
// With one lap, all places of the run have the same window.
void KeyedSequencer::Walk::set_change(Held& held, bool ends_run, Draw& draw) const {
  if (is_one_lap()) {
    if (ends_run) append_own(0, Which::all, draw.change.release);
    std::ranges::sort(draw.change.release);
    return;
  }
  if (!ends_run && !held.ends_sweep && tick_number_ <= held.first_tick + 1) {
    append_entering(held.first_tick + 1, tick_number_ + 1, draw.change.load);
    for (std::int64_t tick = held.first_tick; tick < tick_number_; ++tick) {
      append_own(tick, Which::leaving, draw.change.release);
    }
    std::ranges::sort(draw.change.load);
    std::ranges::sort(draw.change.release);
    return;
  }
  std::vector<ChunkRange> before = held.begin;
  if (!held.ends_sweep) append_own(held.first_tick, Which::all, before);
  std::vector<ChunkRange> after;
  if (!ends_run) append_own(tick_number_, Which::all, after);
  note_entered(held);
  draw.passed = internal::without(held.entered, after);
  draw.change = internal::change_between(std::move(before), std::move(after));
}

// Returns the change from all data that a run of batches holds to the window of the walk's place.
WindowChange KeyedSequencer::Walk::change_of_run(const Held& held, bool ends_run) const {
  WindowChange change;
  if (is_one_lap()) {
    if (ends_run) append_own(0, Which::all, change.release);
    std::ranges::sort(change.release);
    return change;
  }
  if (!ends_run && is_near(held)) {
    append_entering(held.last_tick + 1, tick_number_ + 1, change.load);
    for (std::int64_t tick = held.first_tick; tick < tick_number_; ++tick) {
      append_own(tick, Which::leaving, change.release);
    }
    std::ranges::sort(change.load);
    std::ranges::sort(change.release);
    return change;
  }
  std::vector<ChunkRange> before = held.begin;
  if (!held.ends_sweep) append_own(held.first_tick, Which::all, before);
  before.insert(before.end(), held.entered.begin(), held.entered.end());
  std::vector<ChunkRange> after;
  if (!ends_run) append_own(tick_number_, Which::all, after);
  return internal::change_between(std::move(before), std::move(after));
}

// A foreign sequence may become the worker's own in the next sweep. So data that enter the window
// are removed from `passed`.
void KeyedSequencer::Walk::record(const Place& from, Step& step, WindowChange change) {
  if (!change.load.empty()) {
    std::erase_if(step.passed, [&](const ChunkRange& range) {
      return std::ranges::binary_search(change.load, range);
    });
  }
  last_change_ = {.from = from, .to = step.next, .change = std::move(change)};
}

std::vector<ChunkRange> KeyedSequencer::Walk::window_at(const Place& place) {
  std::vector<ChunkRange> window;
  if (!check(place)) return window;
  if (options_.batching == Batching::plain) {
    seek(place);
    append_own(tick_number_, Which::all, window);
    return window;
  }
  const auto [begin, batch] = run_place(place);
  seek(begin);
  append_own(tick_number_, Which::all, window);
  if (batch > 0) {
    begin_run(begin);
    window.insert(window.end(), run_held_.entered.begin(), run_held_.entered.end());
  }
  return window;
}

}  // namespace sheaf
