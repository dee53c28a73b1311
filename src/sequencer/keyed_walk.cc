#include "sequencer/keyed_walk.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sheaf/error.h"

#include "base/text.h"
#include "sequencer/exact_sizes.h"

// KeyedSweep decides the order of a sweep. The walk cuts that order into minibatches, and shares
// these out among the workers.
//
// The quantity that minibatches count (samples, sequences or costs) is an axis along the sweep. The
// stretch of the axis that belongs to the epoch is divided evenly into parts of at most
// minibatch_size. A step begins in a part and takes the sequences that start before the end of this
// part. A part in which no sequence starts makes no step. So a place alone tells where the step
// ends.
//
// If minibatches count costs, a place carries the cost of the sequences of the sweep before it.
// Epochs divide the axis only if minibatches count samples. On another axis, the end of an epoch
// could only be found by walking there.
//
// With exact sizes, a step takes the next minibatch_size sequences. With drop_last, a step also
// passes over the sequences behind its own that fill no minibatch. So no place stands before such
// sequences, unless an epoch is shorter than a minibatch.

namespace sheaf {
namespace {

using internal::ChunkSamples;
using internal::Epochs;
using internal::KeyedSweep;
using internal::KeyedTick;

constexpr std::int64_t kMax = Epochs::kNever;

__extension__ using Wide = __int128;

// Divides [begin, end) evenly into parts of at most `size`. Returns the end of the part that
// `point` lies in.
std::int64_t part_end(std::int64_t begin, std::int64_t end, std::int64_t size, std::int64_t point) {
  const std::int64_t length = end - begin;
  const std::int64_t parts = length / size + (length % size > 0 ? 1 : 0);
  const auto end_of = [&](std::int64_t part) {
    return begin + static_cast<std::int64_t>(Wide{length} * (part + 1) / parts);
  };
  auto part = static_cast<std::int64_t>(Wide{point - begin} * parts / length);
  while (end_of(part) <= point) ++part;
  return end_of(part);
}

}  // namespace

void KeyedSequencer::Walk::set_data(const std::shared_ptr<const Data>& data) {
  if (units_) return;
  units_ = {data, &data->units};
  laps_ = data->laps;
  cost_of_all_ = data->cost;
  const auto chunk_count = static_cast<std::size_t>(units_->chunk_count());
  samples_.resize(chunk_count);
  if (counts_costs()) declared_.resize(chunk_count);
  samples_of_each_.assign(chunk_count, -1);
}

void KeyedSequencer::Walk::begin_sweep(std::int64_t number) {
  if (sweep_ == nullptr || number != sweep_number_) {
    sweep_ = std::make_unique<KeyedSweep>(*units_, laps_, options_.seed, number);
    sweep_number_ = number;
    tick_.reset();
  }
  number_ = sample_ = cost_ = 0;
  sought_.reset();
  if (tick_ == nullptr || tick_number_ != 0) enter_tick(0);
  tick_left_ = tick_->size();
  if (tick_left_ > 0) tick_->go_to(0);
  skip_empty_ticks();
}

void KeyedSequencer::Walk::enter_tick(std::int64_t tick) {
  tick_ = std::make_unique<KeyedTick>(*sweep_, tick, options_.worker_count);
  tick_number_ = tick;
  tick_left_ = tick_->size();
  ++ticks_entered_;
  forget_samples();
}

void KeyedSequencer::Walk::skip_empty_ticks() {
  while (tick_left_ == 0) enter_tick(tick_number_ + 1);
}

// Drops the tables of chunks that have left the window. They are not needed again soon.
void KeyedSequencer::Walk::forget_samples() {
  for (SamplesOfChunk& chunk : samples_) {
    if (chunk.counts && chunk.tick < ticks_entered_ - 2) chunk.counts.reset();
  }
  for (SamplesOfChunk& chunk : declared_) {
    if (chunk.counts && chunk.tick < ticks_entered_ - 2) chunk.counts.reset();
  }
}

std::int64_t KeyedSequencer::Walk::look_up_samples(const KeyedTick::Sequence& sequence) {
  const auto number = static_cast<std::size_t>(sequence.chunk);
  SamplesOfChunk& chunk = samples_[number];
  if (!chunk.counts) {
    ChunkSamples samples =
        internal::chunk_samples(counts_, sequence.chunk, units_->sequence_count(sequence.chunk));
    if (samples.constant) return samples_of_each_[number] = *samples.constant;
    chunk.counts = std::move(samples.counts);
  }
  chunk.tick = ticks_entered_;
  return (*chunk.counts)[sequence.number];
}

std::int64_t KeyedSequencer::Walk::cost(const KeyedTick::Sequence& sequence) {
  SamplesOfChunk& chunk = declared_[static_cast<std::size_t>(sequence.chunk)];
  if (!chunk.counts) {
    chunk.counts =
        internal::chunk_costs(counts_, sequence.chunk, units_->sequence_count(sequence.chunk))
            .counts;
  }
  chunk.tick = ticks_entered_;
  return (*chunk.counts)[sequence.number];
}

// Returns whether a step begins at a place: the run has data, and is not over.
bool KeyedSequencer::Walk::check(const Place& from) const {
  const std::int64_t count = units_->sequence_count();
  if (count == 0) {
    if (from.sequence > 0) internal::throw_beyond(from, 0);
    internal::check_sample(from, 0);
    return false;
  }
  internal::check_has_minibatch(options_, count);
  if (from.sequence > count) internal::throw_beyond(from, count);
  const bool is_end = from.sequence == count && from.sample == units_->sample_count();
  if (from.sequence == 0 || from.sequence == count) {
    internal::check_sample(from, is_end ? from.sample : 0);
  } else if (from.sample > units_->sample_count()) {
    throw ConfigError(formatted("position: sample {} lies beyond the data, which have {}",
                                from.sample, units_->sample_count()));
  }
  epochs_.check(from, units_->sample_count());
  check_cost(from);
  return !epochs_.is_over(from.epoch);
}

void KeyedSequencer::Walk::check_cost(const Place& from) const {
  if (!counts_costs() || from.sequence == units_->sequence_count()) return;
  const std::int64_t cost = from.carry.empty() ? 0 : from.carry.front();
  if (from.sequence == 0 ? cost != 0 : from.carry.empty() || cost > cost_of_all_) {
    throw ConfigError(formatted(
        "position: where minibatches count costs, the order \"keyed\" carries the cost of the "
        "sequences before the place, from 0 to {}: got {} before sequence {}",
        cost_of_all_, from.carry.empty() ? "none" : formatted("{}", cost), from.sequence));
  }
}

void KeyedSequencer::Walk::seek(const Place& place) {
  epoch_ = place.epoch;
  const bool is_over = options_.drop_last ? !has_minibatch_in_sweep(place.sequence)
                                          : place.sequence == units_->sequence_count();
  if (is_over) {
    is_settled_ = true;
    begin_sweep(place.sweep + 1);
    return;
  }
  const bool is_here = is_settled_ && tick_ != nullptr && sweep_number_ == place.sweep &&
                       number_ == place.sequence && sample_ == place.sample;
  // Its presence is checked in check().
  const std::int64_t cost = place.carry.empty() ? 0 : place.carry.front();
  if (is_here && (!counts_costs() || cost_ == cost)) return;
  is_settled_ = true;
  begin_sweep(place.sweep);
  const std::int64_t tick = sweep_->tick_of(place.sequence);
  if (tick != tick_number_) enter_tick(tick);
  number_ = place.sequence;
  sample_ = place.sample;
  if (counts_costs()) cost_ = cost;
  if (place.sequence > 0) sought_ = place;
  const std::int64_t offset = number_ - sweep_->first_of(tick);
  tick_left_ = tick_->size() - offset;
  if (tick_left_ > 0) tick_->go_to(offset);
  skip_empty_ticks();
}

// Returns the end of the draw that begins here, on the axis that minibatches are cut on.
std::int64_t KeyedSequencer::Walk::draw_end(std::int64_t size) const {
  if (options_.sizes == Sizes::exact) {
    return internal::exact_end(options_, number_, units_->sequence_count(), size);
  }
  if (options_.unit == MinibatchUnit::sequences) {
    return part_end(0, units_->sequence_count(), size, number_);
  }
  if (counts_costs()) {
    if (cost_ >= cost_of_all_) return kMax;  // the rest has cost 0 and belongs to this draw
    const std::int64_t found = part_end(0, cost_of_all_, size, cost_);
    return found == cost_of_all_ ? kMax : found;
  }
  const std::int64_t all = units_->sample_count();
  const std::int64_t begin = epoch_ == 0 ? 0 : epochs_.end_in_sweep(epoch_ - 1, sweep_number_, all);
  const std::int64_t end = std::min(all, epoch_end());
  if (sample_ >= end) return kMax;  // only sequences without samples are left
  const std::int64_t found = part_end(std::min(begin, sample_), end, size, sample_);
  return found == all ? kMax : found;  // includes the sequences without samples behind it
}

// Takes sequences that start before `end` on the axis, and before the end of the epoch.
void KeyedSequencer::Walk::take(std::int64_t end, std::int64_t epoch_ends, const StepRoom& room,
                                Draw& draw) {
  const bool counts_samples = options_.unit == MinibatchUnit::samples;
  const bool counts_sequences = options_.unit == MinibatchUnit::sequences;
  const std::int64_t count = units_->sequence_count();
  const std::int64_t number_end = counts_sequences ? std::min(end, count) : count;
  const std::int64_t sample_end = counts_samples ? std::min(end, epoch_ends) : epoch_ends;
  const std::int64_t cost_end = counts_costs() ? end : kMax;
  const std::int64_t begin = sample_;
  draw.sequences.reserve(static_cast<std::size_t>(last_size_));
  while (number_ < number_end && sample_ < sample_end && cost_ < cost_end) {
    if (tick_left_ == 0) skip_empty_ticks();
    // Checks the limit of a step here only if the whole draw is one step. Otherwise the draw is
    // shared among workers, or cut into batches.
    const bool is_step = options_.worker_count == 1 && options_.batching == Batching::plain;
    const std::int64_t most = is_step ? room.left(std::ssize(draw.sequences)) + 1 : kMax;
    const std::int64_t count_max = std::min({tick_left_, number_end - number_, most});
    if (counts_costs()) {
      take_costs_of_tick(count_max, sample_end, cost_end, draw);
    } else {
      take_of_tick(count_max, sample_end, draw);
    }
    if (is_step) room.check(std::ssize(draw.sequences));
  }
  draw.sample_count = sample_ - begin;
  last_size_ = std::ssize(draw.sequences);
}

// Takes at most `count` sequences of this tick. The loop runs for millions of sequences, so it
// keeps its state in local variables (registers).
void KeyedSequencer::Walk::take_of_tick(std::int64_t count, std::int64_t sample_end, Draw& draw) {
  const bool has_workers = options_.worker_count > 1;
  const bool has_samples = has_workers || options_.batching == Batching::bucketed;
  std::int64_t sample = sample_;
  std::int64_t taken = 0;
  for (; taken < count && sample < sample_end; ++taken) {
    const KeyedTick::Sequence sequence = tick_->next();
    const std::int64_t samples = sample_count(sequence);
    draw.sequences.push_back({sequence.chunk, sequence.number});
    if (has_samples) draw.samples.push_back(samples);
    if (has_workers) draw.owners.push_back(tick_->owner_of(sequence));
    sample += samples;
  }
  sample_ = sample;
  number_ += taken;
  tick_left_ -= taken;
}

// Does the same if minibatches count costs.
void KeyedSequencer::Walk::take_costs_of_tick(std::int64_t count, std::int64_t sample_end,
                                              std::int64_t cost_end, Draw& draw) {
  const bool has_workers = options_.worker_count > 1;
  const bool has_costs = has_workers || options_.batching == Batching::bucketed;
  for (; count > 0 && sample_ < sample_end && cost_ < cost_end; --count) {
    const KeyedTick::Sequence sequence = tick_->next();
    const std::int64_t samples = sample_count(sequence);
    const std::int64_t costs = cost(sequence);
    draw.sequences.push_back({sequence.chunk, sequence.number});
    if (has_costs) {
      draw.samples.push_back(samples);
      draw.costs.push_back(costs);
    }
    if (has_workers) draw.owners.push_back(tick_->owner_of(sequence));
    sample_ += samples;
    cost_ += costs;
    ++number_;
    --tick_left_;
  }
}

// Checks the samples and the cost that the place claims to have before it. seek() does not check
// them, since counting would take as long as walking there. So the sums are checked on the way.
void KeyedSequencer::Walk::check_sum() const {
  const std::int64_t all = units_->sample_count();
  if (is_at_end() ? sample_ == all : sample_ <= all) {
    if (is_at_end() ? cost_ == cost_of_all_ : cost_ <= cost_of_all_) return;
    if (!sought_) {
      throw InternalError(
          formatted("counts: the chunks have the cost {}, but their sequences have {} together",
                    cost_of_all_, cost_));
    }
    throw ConfigError(formatted(
        "position: the cost {} does not belong to sequence {}: counted from there, the sweep has "
        "the cost {}{}, but the data have {}",
        sought_->carry.front(), sought_->sequence, cost_, is_at_end() ? "" : " or more",
        cost_of_all_));
  }
  if (!sought_) {
    throw InternalError(formatted(
        "counts: the chunks have {} samples, but their sequences have {} together", all, sample_));
  }
  throw ConfigError(
      formatted("position: sample {} does not belong to sequence {}: counted from there, the sweep "
                "has {} samples{}, but the data have {}",
                sought_->sample, sought_->sequence, sample_, is_at_end() ? "" : " or more", all));
}

// Pre: the walk stands at the beginning of the draw.
void KeyedSequencer::Walk::draw(std::int64_t size, const StepRoom& room, Draw& draw) {
  is_settled_ = false;
  Held held;
  held.first_tick = held.last_tick = tick_number_;
  draw.sweep = sweep_number_;
  const std::int64_t epoch_ends = epoch_end();
  draw.turn = number_;
  if (sample_ < epoch_ends && (!options_.drop_last || has_minibatch(room))) {
    take(draw_end(size), epoch_ends, room, draw);
    held.last_tick = tick_number_;
    if (options_.drop_last) cut_rest(draw);
  }
  draw.ends_epoch = sample_ >= epoch_ends;
  check_sum();
  if (is_at_end()) end_sweep(held, draw);
  while (options_.drop_last) {
    const bool has_room = has_minibatch_in_sweep(number_);
    if (has_room && (draw.ends_epoch || has_minibatch(room))) break;
    leave_out(has_room ? epoch_end() : kMax, room, held, draw);
  }
  skip_empty_ticks();
  draw.next = {.epoch = draw.ends_epoch ? epoch_ + 1 : epoch_,
               .sweep = sweep_number_,
               .sequence = number_,
               .sample = sample_,
               .carry = carry()};
  const bool ends_run = epochs_.is_over(draw.next.epoch);
  set_change(held, ends_run, draw);
  if (options_.batching == Batching::bucketed) {
    note_entered(held);
    run_end_change_ = change_of_run(held, ends_run);
    run_held_ = std::move(held);
  }
  is_settled_ = true;
}

// Records the data that the draw held at its beginning, which only the sweep that ends now knows,
// and begins the next sweep.
void KeyedSequencer::Walk::end_sweep(Held& held, Draw& draw) {
  note_entered(held);
  if (!held.ends_sweep && !is_one_lap()) append_own(held.first_tick, Which::all, held.begin);
  held.ends_sweep = draw.ends_sweep = true;
  begin_sweep(sweep_number_ + 1);
  draw.ends_epoch |= sample_ >= epoch_end();
}

// Drops the sequences of an incomplete last minibatch, if the epoch ended within it.
void KeyedSequencer::Walk::cut_rest(Draw& draw) const {
  const auto rest = static_cast<std::size_t>(std::ssize(draw.sequences) % options_.minibatch_size);
  const std::size_t kept = draw.sequences.size() - rest;
  draw.sequences.resize(kept);
  if (!draw.owners.empty()) draw.owners.resize(kept);
  if (!draw.samples.empty()) draw.samples.resize(kept);
}

// Returns whether a whole minibatch begins here, before the sweep and the epoch end. The walk stays
// where it is.
bool KeyedSequencer::Walk::has_minibatch(const StepRoom& room) {
  if (!has_minibatch_in_sweep(number_)) return false;
  const std::int64_t epoch_ends = epoch_end();
  if (epoch_ends > units_->sample_count()) return true;
  const std::int64_t number = number_;
  const std::int64_t sample = sample_;
  const std::int64_t tick = tick_number_;
  const std::int64_t left = tick_left_;
  Draw ahead;
  take(number_ + options_.minibatch_size, epoch_ends, room, ahead);
  if (tick_number_ != tick) enter_tick(tick);
  number_ = number;
  sample_ = sample;
  tick_left_ = left;
  if (left > 0) tick_->go_to(tick_->size() - left);
  return std::ssize(ahead.sequences) == options_.minibatch_size;
}

// Passes over sequences that fill no minibatch.
void KeyedSequencer::Walk::leave_out(std::int64_t sample_end, const StepRoom& room, Held& held,
                                     Draw& draw) {
  Draw rest;
  take(units_->sequence_count(), sample_end, room, rest);
  check_sum();
  draw.ends_epoch |= sample_ >= epoch_end();
  if (is_at_end()) end_sweep(held, draw);
}

std::optional<Step> KeyedSequencer::Walk::step(const Place& from, const StepRoom& room) {
  if (!check(from)) return {};
  if (options_.batching == Batching::bucketed) return batch_step(from);
  seek(from);
  Draw drawn;
  draw(options_.minibatch_size, room, drawn);
  WindowChange change = std::exchange(drawn.change, {});
  Step step = own_part(std::move(drawn));
  record(from, step, std::move(change));
  return step;
}

// Returns this worker's share of a minibatch.
Step KeyedSequencer::Walk::own_part(Draw draw) {
  Step step;
  step.ends_sweep = draw.ends_sweep;
  step.ends_epoch = draw.ends_epoch;
  step.passed = std::move(draw.passed);
  step.next = std::move(draw.next);
  share_.take(std::move(draw), step);
  return step;
}

Place KeyedSequencer::Walk::place_of(std::int64_t sample) {
  const std::int64_t all = units_->sample_count();
  internal::check_has_minibatch(options_, units_->sequence_count());
  if (all == 0) {
    if (sample == 0) return {};
    throw ConfigError("position: the data have no samples");
  }
  begin_sweep(sample / all);
  const std::int64_t wanted = sample % all;
  while (sample_ < wanted) {
    if (tick_left_ == 0) skip_empty_ticks();
    for (; tick_left_ > 0 && sample_ < wanted; --tick_left_, ++number_) {
      const KeyedTick::Sequence sequence = tick_->next();
      sample_ += sample_count(sequence);
      if (counts_costs()) cost_ += cost(sequence);
    }
  }
  if (is_at_end() || (options_.drop_last && !has_minibatch_in_sweep(number_))) {
    begin_sweep(sweep_number_ + 1);
  }
  Place place{.epoch = epochs_.epoch_of(sweep_number_, sample_, all),
              .sweep = sweep_number_,
              .sequence = number_,
              .sample = sample_,
              .carry = carry()};
  epochs_.check_begins(place);
  return place;
}

std::optional<Step> KeyedSequencer::Walk::sequence_at(std::int64_t sweep, std::int64_t number) {
  if (sweep < 0 || number < 0 || number >= units_->sequence_count()) return {};
  if (!lookup_ || lookup_->sweep_number != sweep) {
    lookup_.emplace(
        Lookup{sweep, KeyedSweep(*units_, laps_, options_.seed, sweep), 0, std::nullopt});
  }
  std::int64_t tick = lookup_->sweep.tick_of(number);
  const std::int64_t offset = number - lookup_->sweep.first_of(tick);
  for (;; ++tick) {
    if (!lookup_->tick || lookup_->tick_number != tick) {
      lookup_->tick.emplace(lookup_->sweep, tick, 1);
      lookup_->tick_number = tick;
    }
    if (offset < lookup_->tick->size()) break;  // skips an empty tick
  }
  lookup_->tick->go_to(offset);
  const KeyedTick::Sequence sequence = lookup_->tick->next();
  Step step = internal::single_step(counts_, {sequence.chunk, sequence.number},
                                    units_->sequence_count(sequence.chunk));
  step.sweep = sweep;
  return step;
}

}  // namespace sheaf
