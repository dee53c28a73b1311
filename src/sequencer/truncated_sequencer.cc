#include "sequencer/truncated_sequencer.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <utility>

#include "sheaf/error.h"

#include "base/text.h"
#include "sequencer/order_parts.h"

// A slot is filled until it holds more than a step takes of it, so after the step only the sequence
// that was put in last can be left: all before it were shorter than the step together. Therefore a
// place needs one sequence for each slot, and resuming needs no other.
//
// The carry of a place: whether the epoch has no more sequences; for each slot the chunk (-1: it is
// empty), the sequence, and twice the next sample, plus one where the sequence ends a sweep; then
// what the other sequencer carries.

namespace sheaf::internal {
namespace {

constexpr std::size_t kNumbersPerSlot = 3;

std::int64_t size_of(const auto& pieces) {
  std::int64_t size = 0;
  for (const auto& piece : pieces) size += piece.end - piece.first;
  return size;
}

bool are_empty(const auto& slots) {
  return std::all_of(slots.begin(), slots.end(), [](const auto& slot) { return slot.empty(); });
}

}  // namespace

TruncatedSequencer::TruncatedSequencer(std::shared_ptr<const Counts> counts,
                                       std::unique_ptr<Sequencer> sequences,
                                       const OrderOptions& options)
    : counts_(std::move(counts)),
      sequences_(std::move(sequences)),
      minibatch_size_(options.minibatch_size),
      length_(*options.truncation_length),
      slot_count_(truncated_slot_count(options)),
      worker_texts_(worker_option_texts(options)) {}

std::map<std::string, std::string> TruncatedSequencer::options() const {
  std::map<std::string, std::string> texts = sequences_->options();
  texts["minibatch_size"] = formatted("{}", minibatch_size_);
  texts["truncation_length"] = formatted("{}", length_);
  // Each worker has slots of its own, whatever the order.
  texts.insert(worker_texts_.begin(), worker_texts_.end());
  return texts;
}

std::optional<Step> TruncatedSequencer::step(const Place& from) const {
  State state = state_at(from);
  Step step;
  fill(state, step);
  if (are_empty(state.slots) && !state.is_draining) return std::nullopt;
  deliver(state, step);
  step.next = place_at(state);
  release_unused(state.slots, step);
  return step;
}

std::optional<Step> TruncatedSequencer::sequence_at(std::int64_t /*sweep*/,
                                                    std::int64_t /*number*/) const {
  throw ConfigError(
      "sequence_at: sequences are delivered in pieces, several at a time, where they are cut; "
      "leave "
      "truncation_length out");
}

void TruncatedSequencer::fill(State& state, Step& step) const {
  for (std::deque<Piece>& slot : state.slots) {
    while (!state.is_draining && size_of(slot) <= length_) {
      const std::optional<Step> next = sequences_->step(state.place);
      if (!next) return;
      for (const SequenceRef& sequence : next->sequences) {
        const std::int64_t length = length_of(sequence);
        if (length > 0) slot.push_back({sequence, 0, length, next->ends_sweep});
      }
      state.place = next->next;
      state.is_draining = next->ends_epoch;
      for (const ChunkRange& range : next->load) unreleased_.erase(range);
      step.load.insert(step.load.end(), next->load.begin(), next->load.end());
      unreleased_.insert(next->release.begin(), next->release.end());
    }
  }
}

void TruncatedSequencer::deliver(State& state, Step& step) const {
  for (std::size_t i = 0; i < state.slots.size(); ++i) {
    std::deque<Piece>& slot = state.slots[i];
    for (std::int64_t room = length_; room > 0 && !slot.empty();) {
      Piece& piece = slot.front();
      const std::int64_t count = std::min(room, piece.end - piece.first);
      step.sequences.push_back(piece.sequence);
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

// What another step will take samples from is not released.
void TruncatedSequencer::release_unused(const Slots& slots, Step& step) const {
  const auto is_used = [&](const ChunkRange& range) {
    return std::any_of(slots.begin(), slots.end(), [&](const std::deque<Piece>& slot) {
      return std::any_of(slot.begin(), slot.end(), [&](const Piece& piece) {
        return range.contains(piece.sequence.chunk, piece.sequence.sequence);
      });
    });
  };
  for (auto range = unreleased_.begin(); range != unreleased_.end();) {
    if (is_used(*range)) {
      ++range;
      continue;
    }
    // Loaded and passed within one step: parts of a chunk are named all the same, to be read alone.
    if (*range == ChunkRange{range->chunk}) std::erase(step.load, *range);
    step.release.push_back(*range);
    range = unreleased_.erase(range);
  }
}

std::int64_t TruncatedSequencer::length_of(const SequenceRef& sequence) const {
  return counts_->sample_counts(sequence.chunk)[sequence.sequence];
}

TruncatedSequencer::State TruncatedSequencer::state_at(const Place& from) const {
  State state{from, false, Slots(static_cast<std::size_t>(slot_count_))};
  state.place.carry.clear();
  if (from.carry.empty()) return state;
  const std::size_t slots_end = 1 + kNumbersPerSlot * state.slots.size();
  const auto broken = [&] {
    return ConfigError(
        formatted("position: the carry of {} numbers is not one of {} slots with "
                  "truncation_length {}",
                  from.carry.size(), slot_count_, length_));
  };
  if (from.carry.size() < slots_end || from.carry[0] < 0 || from.carry[0] > 1) throw broken();
  state.is_draining = from.carry[0] == 1;
  for (std::size_t i = 0; i < state.slots.size(); ++i) {
    const std::int64_t* const numbers = from.carry.data() + 1 + kNumbersPerSlot * i;
    if (numbers[0] == -1) continue;
    if (numbers[0] < 0 || numbers[1] < 0 || numbers[2] < 0) throw broken();
    Piece piece{{ChunkIndex{numbers[0]}, numbers[1]}, numbers[2] / 2, 0, numbers[2] % 2 == 1};
    const std::optional<ChunkCounts> counts = counts_->chunk_counts(piece.sequence.chunk);
    if (!counts || piece.sequence.sequence >= counts->sequence_count) throw broken();
    piece.end = length_of(piece.sequence);
    if (piece.first >= piece.end) throw broken();
    state.slots[i].push_back(piece);
  }
  state.place.carry.assign(from.carry.begin() + static_cast<std::ptrdiff_t>(slots_end),
                           from.carry.end());
  return state;
}

Place TruncatedSequencer::place_at(const State& state) const {
  Place place = state.place;
  if (are_empty(state.slots) && state.is_draining) return place;  // the next epoch begins
  place.carry.assign(1, state.is_draining ? 1 : 0);
  for (const std::deque<Piece>& slot : state.slots) {
    assert(slot.size() <= 1);
    if (slot.empty()) {
      place.carry.insert(place.carry.end(), {-1, 0, 0});
      continue;
    }
    const Piece& piece = slot.front();
    place.carry.insert(place.carry.end(),
                       {static_cast<std::int64_t>(piece.sequence.chunk), piece.sequence.sequence,
                        2 * piece.first + (piece.ends_sweep ? 1 : 0)});
  }
  place.carry.insert(place.carry.end(), state.place.carry.begin(), state.place.carry.end());
  return place;
}

}  // namespace sheaf::internal
