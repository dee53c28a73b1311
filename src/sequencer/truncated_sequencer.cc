#include "sequencer/truncated_sequencer.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <iterator>
#include <set>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"
#include "sequencer/order_parts.h"
#include "sequencer/window_change.h"

// A slot is filled until it holds more than a step takes of it. So only the sequence put in last
// can be left after the step, since all sequences before it were shorter than the step together.
// Therefore a place needs one sequence for each slot, and resuming needs no other.
//
// The carry of a place has these numbers:
//
// - whether the epoch has no more sequences
// - for each slot: the chunk (-1: empty slot), the sequence, and twice the next sample, plus one if
//   the sequence ends a sweep
// - the carry of the inner sequencer
//
// If a sequence belongs to an earlier sweep than the place, the upper bits of its number count the
// sweeps between. The members of a mixture have sweeps of their own. There, the sweep of the
// sequence is a fourth number of the slot.

namespace sheaf::internal {
namespace {

constexpr std::size_t kNumbersPerSlot = 3;
constexpr std::size_t kNumbersPerMixedSlot = 4;
constexpr int kSequenceBits = 40;  // of the number of a sequence within its chunk
constexpr std::int64_t kSequenceMask = (std::int64_t{1} << kSequenceBits) - 1;

std::int64_t size_of(const auto& pieces) {
  std::int64_t size = 0;
  for (const auto& piece : pieces) size += piece.end - piece.first;
  return size;
}

bool are_empty(const auto& slots) {
  return std::all_of(slots.begin(), slots.end(), [](const auto& slot) { return slot.empty(); });
}

}  // namespace

/// The cursor of the inner sequencer, and the window of the place after the last step.
class TruncatedSequencer::Cursor final : public OrderCursor {
 public:
  Cursor(const Sequencer& sequences, const TruncatedSequencer& truncated)
      : sequences_(sequences), truncated_(truncated), inner_(sequences.make_cursor()) {}

  /// Holds the window of a place, whose content is `state`.
  void hold(const Place& place, const State& state);

  /// Takes the next sequence. Returns nothing at the end of the run.
  [[nodiscard]] std::optional<Step> take(const Place& from, const StepRoom& room);

  /// Records the changes of a step. `state` has the sequences left in slots.
  void record(const Place& from, const State& state, Step& step);

  [[nodiscard]] std::vector<ChunkRange> window() const;
  [[nodiscard]] const LastChange& last_change() const noexcept { return last_change_; }

 private:
  [[nodiscard]] std::vector<ChunkRange> units_beyond_window(const Slots& slots) const;
  [[nodiscard]] bool is_held(const SequenceRef& sequence) const;

  const Sequencer& sequences_;
  const TruncatedSequencer& truncated_;
  const std::unique_ptr<OrderCursor> inner_;
  std::set<ChunkRange> held_;      // window of the inner sequencer
  std::vector<ChunkRange> units_;  // sorted units of sequences in slots that held_ does not have
  std::optional<Place> held_at_;   // empty if no window is held
  // Ranges that changed during a step, and whether they were held before.
  std::map<ChunkRange, bool> were_;
  std::vector<ChunkRange> passed_;  // during the step
  LastChange last_change_;
};

void TruncatedSequencer::Cursor::hold(const Place& place, const State& state) {
  were_.clear();
  passed_.clear();
  if (held_at_ == place) return;
  held_at_.reset();
  const std::vector<ChunkRange> window = sequences_.window_change({}, state.place, *inner_).load;
  held_ = std::set<ChunkRange>(window.begin(), window.end());
  units_ = units_beyond_window(state.slots);
  held_at_ = place;
}

std::optional<Step> TruncatedSequencer::Cursor::take(const Place& from, const StepRoom& room) {
  std::optional<Step> next = sequences_.step(from, *inner_, room);
  if (!next) return next;
  const WindowChange change = sequences_.window_change(from, next->next, *inner_);
  held_at_.reset();  // empty until the step is complete
  for (const ChunkRange& range : change.load) {
    were_.try_emplace(range, !held_.insert(range).second);
  }
  for (const ChunkRange& range : change.release) were_.try_emplace(range, held_.erase(range) > 0);
  passed_.insert(passed_.end(), next->passed.begin(), next->passed.end());
  return next;
}

void TruncatedSequencer::Cursor::record(const Place& from, const State& state, Step& step) {
  std::vector<ChunkRange> entered;
  std::vector<ChunkRange> left;
  for (const auto& [range, was] : were_) {
    const bool is = held_.contains(range);
    if (is && !was) entered.push_back(range);
    if (was && !is) left.push_back(range);
    if (!was && !is) passed_.push_back(range);
  }
  const std::vector<ChunkRange> units = units_beyond_window(state.slots);
  WindowChange change = change_between(units_, units);
  change.load = without(std::move(change.load), left);
  change.release = without(std::move(change.release), entered);
  for (const ChunkRange& range : without(std::move(entered), units_)) change.load.push_back(range);
  for (const ChunkRange& range : without(std::move(left), units)) change.release.push_back(range);
  make_set(change.load);
  make_set(change.release);
  step.passed = without(std::exchange(passed_, {}), units);
  units_ = units;
  last_change_ = {.from = from, .to = step.next, .change = std::move(change)};
  held_at_ = step.next;
}

std::vector<ChunkRange> TruncatedSequencer::Cursor::window() const {
  std::vector<ChunkRange> window(held_.begin(), held_.end());
  window.insert(window.end(), units_.begin(), units_.end());
  return window;
}

std::vector<ChunkRange> TruncatedSequencer::Cursor::units_beyond_window(const Slots& slots) const {
  std::vector<ChunkRange> units;
  for (const std::deque<Piece>& slot : slots) {
    for (const Piece& piece : slot) {
      if (!is_held(piece.sequence)) units.push_back(unit_of(*truncated_.counts_, piece.sequence));
    }
  }
  make_set(units);
  return units;
}

// Two ranges of the window share at most a sequence at their ends. So only the last range that
// begins at or before a sequence can contain it.
bool TruncatedSequencer::Cursor::is_held(const SequenceRef& sequence) const {
  const auto after = held_.upper_bound({sequence.chunk, sequence.sequence, ChunkRange::kAll});
  return after != held_.begin() && std::prev(after)->contains(sequence.chunk, sequence.sequence);
}

TruncatedSequencer::TruncatedSequencer(std::shared_ptr<const Counts> counts,
                                       std::unique_ptr<Sequencer> sequences,
                                       const OrderOptions& options)
    : counts_(std::move(counts)),
      lengths_(cut_lengths_of(*counts_)),
      sequences_(std::move(sequences)),
      minibatch_size_(options.minibatch_size),
      length_(*options.truncation_length),
      slot_count_(truncated_slot_count(options)),
      never_ends_(!options.sweeps || options.epoch_size),
      numbers_per_slot_(counts_->mixture() != nullptr ? kNumbersPerMixedSlot : kNumbersPerSlot),
      worker_texts_(worker_option_texts(options)) {}

std::map<std::string, std::string> TruncatedSequencer::options() const {
  std::map<std::string, std::string> texts = sequences_->options();
  texts["minibatch_size"] = formatted("{}", minibatch_size_);
  texts["truncation_length"] = formatted("{}", length_);
  // Each worker has its own slots in every order.
  texts.insert(worker_texts_.begin(), worker_texts_.end());
  return texts;
}

std::unique_ptr<OrderCursor> TruncatedSequencer::make_cursor() const {
  return std::make_unique<Cursor>(*sequences_, *this);
}

std::optional<Step> TruncatedSequencer::step(const Place& from, OrderCursor& order_cursor,
                                             const StepRoom& room) const {
  auto& cursor = cursor_as<Cursor>(order_cursor);
  State state = state_at(from);
  Step step;
  step.sweep = from.sweep;
  cursor.hold(from, state);
  fill(state, cursor, room);
  if (are_empty(state.slots) && !state.is_draining) return std::nullopt;
  deliver(state, step);
  step.next = place_at(state);
  cursor.record(from, state, step);
  return step;
}

WindowChange TruncatedSequencer::window_change(const std::optional<Place>& from, const Place& to,
                                               OrderCursor& order_cursor) const {
  auto& cursor = cursor_as<Cursor>(order_cursor);
  if (cursor.last_change().is_between(from, to)) return cursor.last_change().change;
  std::vector<ChunkRange> before;
  if (from) {
    Cursor other(*sequences_, *this);
    other.hold(*from, state_at(*from));
    before = other.window();
  }
  cursor.hold(to, state_at(to));
  return change_between(std::move(before), cursor.window());
}

std::optional<Step> TruncatedSequencer::sequence_at(std::int64_t /*sweep*/, std::int64_t /*number*/,
                                                    OrderCursor& /*cursor*/) const {
  throw ConfigError(
      "sequence_at: sequences are delivered in pieces, several at a time, where they are cut; "
      "leave truncation_length out");
}

void TruncatedSequencer::fill(State& state, Cursor& cursor, const StepRoom& room) const {
  for (std::deque<Piece>& slot : state.slots) {
    std::int64_t wrong_count = 0;
    while (!state.is_draining && wrong_count < kWrongMax && size_of(slot) <= length_) {
      const std::optional<Step> next = cursor.take(state.place, room);
      if (!next) return;
      for (std::size_t i = 0; i < next->sequences.size(); ++i) {
        const SequenceRef& sequence = next->sequences[i];
        const std::optional<std::int64_t> length = length_of(sequence);
        if (length == 0) continue;
        if (!length) ++wrong_count;
        slot.push_back({sequence, next->sweep_of(i), 0, length.value_or(0), next->ends_sweep});
      }
      if (next->ends_sweep && never_ends_ && slot.empty()) check_has_samples();
      state.place = next->next;
      state.is_draining = next->ends_epoch;
    }
  }
}

// Without this check, an epoch that never ends would look for a sample forever.
void TruncatedSequencer::check_has_samples() const {
  for (ChunkIndex i{};; i = next(i)) {
    const std::optional<ChunkCounts> counts = counts_->chunk_counts(i);
    if (!counts) break;
    if (counts->sample_count > 0) return;
  }
  throw ConfigError("truncation_length: the data have no samples, so there is nothing to cut");
}

void TruncatedSequencer::deliver(State& state, Step& step) const {
  for (std::size_t i = 0; i < state.slots.size(); ++i) {
    std::deque<Piece>& slot = state.slots[i];
    std::int64_t room = length_;
    while (!slot.empty() && (room > 0 || slot.front().end == 0)) {
      Piece& piece = slot.front();
      const std::int64_t count = std::min(room, piece.end - piece.first);
      step.sequences.push_back(piece.sequence);
      name_sweep(step, step.sequences.size() - 1, piece.sweep);
      step.slices.push_back({piece.first, count});
      step.slots.push_back(static_cast<std::int64_t>(i));
      step.sample_count += count;
      room -= count;
      piece.first += count;
      if (piece.first < piece.end) break;
      step.ends_sweep |= piece.ends_sweep;
      slot.pop_front();
    }
  }
  step.ends_epoch = state.is_draining && are_empty(state.slots);
}

std::optional<std::int64_t> TruncatedSequencer::length_of(const SequenceRef& sequence) const {
  return cut_length_of(*counts_, lengths_, sequence.chunk, sequence.sequence);
}

TruncatedSequencer::State TruncatedSequencer::state_at(const Place& from) const {
  State state{from, false, Slots(static_cast<std::size_t>(slot_count_))};
  state.place.carry.clear();
  if (from.carry.empty()) return state;
  const std::size_t slots_end = 1 + numbers_per_slot_ * state.slots.size();
  const auto broken = [&] {
    return ConfigError(
        formatted("position: the carry of {} numbers is not one of {} slots with "
                  "truncation_length {}",
                  from.carry.size(), slot_count_, length_));
  };
  if (from.carry.size() < slots_end || from.carry[0] < 0 || from.carry[0] > 1) throw broken();
  state.is_draining = from.carry[0] == 1;
  for (std::size_t i = 0; i < state.slots.size(); ++i) {
    const std::int64_t* const numbers = from.carry.data() + 1 + numbers_per_slot_ * i;
    if (numbers[0] == -1) continue;
    if (numbers[0] < 0 || numbers[1] < 0 || numbers[2] < 0) throw broken();
    const std::int64_t lag = numbers[1] >> kSequenceBits;
    const std::int64_t sweep = is_mixed() ? numbers[3] : from.sweep - lag;
    if (sweep < 0 || (is_mixed() && lag > 0)) throw broken();
    Piece piece{{ChunkIndex{numbers[0]}, numbers[1] & kSequenceMask},
                sweep,
                numbers[2] / 2,
                0,
                numbers[2] % 2 == 1};
    const std::optional<ChunkCounts> counts = counts_->chunk_counts(piece.sequence.chunk);
    if (!counts || piece.sequence.sequence >= counts->sequence_count) throw broken();
    piece.end = length_of(piece.sequence).value_or(0);
    if (piece.first >= piece.end) throw broken();
    state.slots[i].push_back(piece);
  }
  state.place.carry.assign(from.carry.begin() + static_cast<std::ptrdiff_t>(slots_end),
                           from.carry.end());
  return state;
}

Place TruncatedSequencer::place_at(const State& state) const {
  Place place = state.place;
  const bool begins_epoch = are_empty(state.slots) && state.is_draining;
  if (begins_epoch && place.carry.empty()) return place;
  place.carry.assign(1, state.is_draining && !begins_epoch ? 1 : 0);
  for (const std::deque<Piece>& slot : state.slots) {
    assert(slot.size() <= 1);
    if (slot.empty()) {
      place.carry.insert(place.carry.end(), {-1, 0, 0});
      if (is_mixed()) place.carry.push_back(0);
      continue;
    }
    const Piece& piece = slot.front();
    const std::int64_t lag = is_mixed() ? 0 : state.place.sweep - piece.sweep;
    place.carry.insert(place.carry.end(), {static_cast<std::int64_t>(piece.sequence.chunk),
                                           piece.sequence.sequence + (lag << kSequenceBits),
                                           2 * piece.first + (piece.ends_sweep ? 1 : 0)});
    if (is_mixed()) place.carry.push_back(piece.sweep);
  }
  place.carry.insert(place.carry.end(), state.place.carry.begin(), state.place.carry.end());
  return place;
}

}  // namespace sheaf::internal
