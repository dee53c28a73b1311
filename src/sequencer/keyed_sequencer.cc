#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/sequencer.h"

#include "base/permutation.h"
#include "base/saturated.h"
#include "base/text.h"
#include "sequencer/keyed_sweep.h"
#include "sequencer/length_batches.h"
#include "sequencer/load_balancer.h"
#include "sequencer/order_parts.h"
#include "sequencer/step_room.h"
#include "sequencer/unit_map.h"

// The order of a sweep is KeyedSweep's; here it is cut into minibatches, and these are shared out
// among the workers.
//
// What a minibatch counts (samples, sequences or costs) is an axis along the sweep. The stretch of
// it that belongs to the epoch is divided evenly into parts of at most minibatch_size. A step takes
// the sequences that start before the end of the part that it begins in; a part in which none
// starts makes no step. So a place alone says where the step ends.
//
// Where that is the cost, a place carries the cost of the sequences of the sweep before it. Epochs
// do not divide the axis then, nor where sequences are counted: where an epoch of some samples ends
// on it could only be found by going there.
//
// With buckets, the same axis is divided into runs of kRunMinibatches minibatches. A place is then
// the beginning of a run, and carries the number of the batch within it.

namespace sheaf {
namespace {

using internal::ChunkSamples;
using internal::Epochs;
using internal::KeyedSweep;
using internal::KeyedTick;
using internal::LengthBatches;
using internal::UnitMap;
using Which = internal::KeyedSweep::Which;

constexpr std::int64_t kRunMinibatches = 64;
constexpr std::int64_t kTolerance = 64;    // a worker may have this part more than its share
constexpr std::int64_t kLapUnitsMin = 32;  // so that every tick has some to bring in
constexpr std::int64_t kMax = Epochs::kNever;

__extension__ using Wide = __int128;

/// Sequences of the order, one after the other, of all workers.
struct Draw {
  std::vector<SequenceRef> sequences;
  std::vector<std::int64_t> samples;  // of each, here and below; empty where nobody asks
  std::vector<std::int64_t> costs;    // empty where minibatches do not count them, too
  std::vector<std::int64_t> owners;   // in whose data it lies; empty where there is one worker
  std::int64_t sample_count = 0;      // of all
  std::int64_t first_tick = 0;        // that of the first sequence
  std::vector<ChunkRange> load;       // of this worker's data
  std::vector<ChunkRange> release;
  bool ends_sweep = false;
  bool ends_epoch = false;
  Place next;
};

// The end of the part that a point lies in, where [begin, end) is divided evenly into parts of at
// most `size`.
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

std::int64_t product(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? kMax : result;
}

}  // namespace

class KeyedSequencer::Walk {
 public:
  Walk(const Counts& counts, const OrderOptions& options)
      : counts_(counts), options_(options), epochs_(options) {}

  [[nodiscard]] std::optional<Step> step(const Place& from);
  [[nodiscard]] Place place_of(std::int64_t sample);
  [[nodiscard]] std::optional<Step> sequence_at(std::int64_t sweep, std::int64_t number);

 private:
  /// A sweep that sequence_at() looks into: not the one that steps are taken from.
  struct Lookup {
    std::int64_t sweep_number = 0;
    KeyedSweep sweep;
    std::int64_t tick_number = 0;
    std::optional<KeyedTick> tick = {};
  };

  /// Of a chunk whose sequences have different lengths.
  struct SamplesOfChunk {
    std::optional<SampleCounts> counts;
    std::int64_t tick = 0;  // that asked for them last
  };

  void learn_units();
  void learn_costs(std::int64_t chunk_count);
  [[nodiscard]] std::int64_t lap_count() const;
  void check(const Place& from) const;
  void seek(const Place& place);
  void begin_sweep(std::int64_t number);
  void enter_tick(std::int64_t tick);
  void skip_empty_ticks();
  [[nodiscard]] std::int64_t draw_end(std::int64_t size) const;
  void draw(std::int64_t size, Draw& draw);
  void check_sum() const;
  void take(std::int64_t end, std::int64_t epoch_ends, Draw& draw);
  void take_of_tick(std::int64_t count, std::int64_t sample_end, Draw& draw);
  void take_costs_of_tick(std::int64_t count, std::int64_t sample_end, std::int64_t cost_end,
                          Draw& draw);
  [[nodiscard]] std::int64_t sample_count(const KeyedTick::Sequence& sequence) {
    const std::int64_t each = samples_of_each_[static_cast<std::size_t>(sequence.chunk)];
    return each >= 0 ? each : look_up_samples(sequence);
  }
  [[nodiscard]] std::int64_t look_up_samples(const KeyedTick::Sequence& sequence);
  [[nodiscard]] std::int64_t cost(const KeyedTick::Sequence& sequence);
  void forget_samples();

  void hold_for(Draw& draw);
  [[nodiscard]] bool is_last_sweep() const;
  [[nodiscard]] Step batch_step(const Place& from);
  void take_batch(std::int64_t number, Draw& draw) const;
  [[nodiscard]] Step own_part(Draw draw);
  [[nodiscard]] std::int64_t epoch_end() const {
    return epochs_.end_in_sweep(epoch_, sweep_number_, units_->sample_count());
  }
  [[nodiscard]] bool is_at_end() const noexcept { return number_ == units_->sequence_count(); }
  [[nodiscard]] bool counts_costs() const noexcept { return options_.unit == MinibatchUnit::cost; }
  [[nodiscard]] std::vector<std::int64_t> carry() const {
    return counts_costs() && number_ > 0 ? std::vector{cost_} : std::vector<std::int64_t>();
  }

  const Counts& counts_;
  const OrderOptions& options_;
  const Epochs epochs_;
  std::unique_ptr<const UnitMap> units_;
  std::int64_t cost_of_all_ = 0;

  // The place.
  std::int64_t epoch_ = 0;
  std::int64_t sweep_number_ = 0;
  std::int64_t number_ = 0;  // of the sequence
  std::int64_t sample_ = 0;
  std::int64_t cost_ = 0;        // of the sequences before it; 0 where costs are not counted
  std::optional<Place> sought_;  // where the sweep was entered, if not at its beginning

  // Of the sweep, once it is begun.
  std::unique_ptr<KeyedSweep> sweep_;
  std::unique_ptr<KeyedTick> tick_;
  std::int64_t tick_number_ = 0;
  std::int64_t tick_left_ = 0;                 // sequences of it that are still to come
  std::vector<std::int64_t> samples_of_each_;  // [chunk]; -1: not known, or different
  std::vector<SamplesOfChunk> samples_;        // [chunk]
  std::vector<SamplesOfChunk> declared_;       // [chunk]: costs
  std::int64_t ticks_entered_ = 0;
  std::int64_t last_size_ = 0;  // of a draw: the next is about as large

  // What the steps given so far tell to hold: what is there during a tick of this sweep.
  std::optional<std::int64_t> held_tick_;

  // The run of the last place, with buckets; its `load` is told once.
  std::optional<Place> run_begin_;
  Draw run_;
  LengthBatches batches_;

  std::optional<Lookup> lookup_;

  internal::LoadBalancer balancer_;
  std::vector<std::int64_t> costs_;
};

// Every unit must be known before the first one is chosen.
void KeyedSequencer::Walk::learn_units() {
  if (units_) return;
  auto units = std::make_unique<const UnitMap>(counts_);
  if (counts_costs()) learn_costs(units->chunk_count());
  samples_.resize(static_cast<std::size_t>(units->chunk_count()));
  samples_of_each_.assign(samples_.size(), -1);
  units_ = std::move(units);
}

void KeyedSequencer::Walk::learn_costs(std::int64_t chunk_count) {
  constexpr std::int64_t kCostMax = kMax / 2;  // leaves room to count on from any place
  std::int64_t all = 0;
  for (std::int64_t chunk = 0; chunk < chunk_count; ++chunk) {
    all = internal::saturated_sum(all, counts_.chunk_cost(ChunkIndex{chunk}));
  }
  if (all > kCostMax) {
    throw ConfigError(
        formatted("unit \"cost\": the costs of all sequences are more than {} together", kCostMax));
  }
  declared_.resize(static_cast<std::size_t>(chunk_count));
  cost_of_all_ = all;
}

std::int64_t KeyedSequencer::Walk::lap_count() const {
  const bool is_chunks = options_.window_chunks.has_value();
  const std::int64_t all = is_chunks ? units_->chunk_count() : units_->sample_count();
  const std::int64_t window = is_chunks ? *options_.window_chunks : *options_.window_samples;
  const std::int64_t laps = all / window + (all % window > 0 ? 1 : 0);
  const std::int64_t laps_max = units_->unit_count() / kLapUnitsMin;
  return std::max<std::int64_t>(1, std::min(laps, laps_max));
}

void KeyedSequencer::Walk::begin_sweep(std::int64_t number) {
  if (sweep_ == nullptr || number != sweep_number_) {
    sweep_ = std::make_unique<KeyedSweep>(*units_, lap_count(), options_.seed, number);
    sweep_number_ = number;
    tick_.reset();
  }
  number_ = sample_ = cost_ = 0;
  sought_.reset();
  if (tick_ == nullptr || tick_number_ != 0) enter_tick(0);
  tick_left_ = tick_->size();
  if (tick_left_ > 0) tick_->go_to(0);
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

// What the window has left behind is not asked for again soon.
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

void KeyedSequencer::Walk::check(const Place& from) const {
  const std::int64_t count = units_->sequence_count();
  if (from.sequence > count) internal::throw_beyond(from, count);
  const bool is_end = from.sequence == count && from.sample == units_->sample_count();
  if (from.sequence == 0 || from.sequence == count) {
    internal::check_sample(from, is_end ? from.sample : 0);
  } else if (from.sample > units_->sample_count()) {
    throw ConfigError(formatted("position: sample {} lies beyond the data, which have {}",
                                from.sample, units_->sample_count()));
  }
  epochs_.check(from, units_->sample_count());
  if (!counts_costs() || from.sequence == count) return;
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
  if (place.sequence == units_->sequence_count()) {
    begin_sweep(place.sweep + 1);
    return;
  }
  const bool is_here = tick_ != nullptr && sweep_number_ == place.sweep &&
                       number_ == place.sequence && sample_ == place.sample;
  const std::int64_t cost = place.carry.empty() ? 0 : place.carry.front();  // of check()
  if (is_here && (!counts_costs() || cost_ == cost)) return;
  held_tick_.reset();
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
}

// Where the draw that begins here ends, on the axis that minibatches are cut on.
std::int64_t KeyedSequencer::Walk::draw_end(std::int64_t size) const {
  if (options_.unit == MinibatchUnit::sequences) {
    return part_end(0, units_->sequence_count(), size, number_);
  }
  if (counts_costs()) {
    if (cost_ >= cost_of_all_) return kMax;  // as below, where sequences cost nothing
    const std::int64_t found = part_end(0, cost_of_all_, size, cost_);
    return found == cost_of_all_ ? kMax : found;
  }
  const std::int64_t all = units_->sample_count();
  const std::int64_t begin = epoch_ == 0 ? 0 : epochs_.end_in_sweep(epoch_ - 1, sweep_number_, all);
  const std::int64_t end = std::min(all, epoch_end());
  if (sample_ >= end) return kMax;  // sequences without samples, at the end of the sweep
  const std::int64_t found = part_end(std::min(begin, sample_), end, size, sample_);
  return found == all ? kMax : found;  // with those behind it that have no samples
}

// Take sequences that start before `end` on the axis, and before the end of the epoch.
void KeyedSequencer::Walk::take(std::int64_t end, std::int64_t epoch_ends, Draw& draw) {
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
    if (draw.sequences.empty()) draw.first_tick = tick_number_;
    // Other workers have parts of what is drawn; of batches it is cut into many.
    const bool is_step = options_.worker_count == 1 && options_.batching == Batching::plain;
    const std::int64_t most =
        is_step ? internal::step_room_left(std::ssize(draw.sequences)) + 1 : kMax;
    const std::int64_t count_max = std::min({tick_left_, number_end - number_, most});
    if (counts_costs()) {
      take_costs_of_tick(count_max, sample_end, cost_end, draw);
    } else {
      take_of_tick(count_max, sample_end, draw);
    }
    if (is_step) internal::check_step_room(std::ssize(draw.sequences));
  }
  draw.sample_count = sample_ - begin;
  last_size_ = std::ssize(draw.sequences);
}

// At most `count` of this tick. A loop over millions: what it changes is kept in registers.
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

// The same where costs are counted.
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

// How many samples lie before a place is not counted when it is sought: that would take as long as
// going there.
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

void KeyedSequencer::Walk::draw(std::int64_t size, Draw& draw) {
  const std::int64_t epoch_ends = epoch_end();
  if (sample_ >= epoch_ends) {
    draw.ends_epoch = true;
  } else {
    take(draw_end(size), epoch_ends, draw);
    draw.ends_epoch = sample_ >= epoch_ends;
  }
  check_sum();
  if (!draw.sequences.empty()) hold_for(draw);
  if (is_at_end()) {
    draw.ends_sweep = true;
    begin_sweep(sweep_number_ + 1);
    draw.ends_epoch |= sample_ >= epoch_end();
  }
  draw.next = {.epoch = draw.ends_epoch ? epoch_ + 1 : epoch_,
               .sweep = sweep_number_,
               .sequence = number_,
               .sample = sample_,
               .carry = carry()};
}

// Tell what enters and leaves with the sequences that were drawn: up to the tick of the last one,
// and all that is left at the end of the sweep. With one lap, the next sweep needs the same data.
void KeyedSequencer::Walk::hold_for(Draw& draw) {
  const internal::Worker worker{options_.worker_index, options_.worker_count};
  if (!held_tick_) {
    sweep_->append_own(draw.first_tick, Which::all, worker, draw.load);
    held_tick_ = draw.first_tick;
  }
  for (std::int64_t tick = *held_tick_; tick < tick_number_; ++tick) {
    sweep_->append_own(tick, Which::leaving, worker, draw.release);
    sweep_->append_own(tick + 1, Which::entering, worker, draw.load);
  }
  held_tick_ = tick_number_;
  const bool has_next = sweep_->tick_count() == 1 && !is_last_sweep();
  if (!is_at_end() || has_next) return;
  for (std::int64_t tick = tick_number_; tick < sweep_->tick_count(); ++tick) {
    if (tick > tick_number_) sweep_->append_own(tick, Which::entering, worker, draw.load);
    sweep_->append_own(tick, Which::leaving, worker, draw.release);
  }
  held_tick_.reset();
}

bool KeyedSequencer::Walk::is_last_sweep() const {
  if (!options_.epochs) return false;
  return epochs_.end_in_sweep(*options_.epochs - 1, sweep_number_ + 1, units_->sample_count()) == 0;
}

std::optional<Step> KeyedSequencer::Walk::step(const Place& from) {
  learn_units();
  if (units_->sequence_count() == 0) {
    if (from.sequence > 0) internal::throw_beyond(from, 0);
    internal::check_sample(from, 0);
    return {};
  }
  check(from);
  if (epochs_.is_over(from.epoch)) return {};
  if (options_.batching == Batching::bucketed) return batch_step(from);
  seek(from);
  Draw drawn;
  draw(options_.minibatch_size, drawn);
  return own_part(std::move(drawn));
}

Step KeyedSequencer::Walk::batch_step(const Place& from) {
  // The carry: the cost before the run, where costs are counted; and the number of the batch.
  const std::size_t begin_size = counts_costs() ? 1 : 0;
  const std::int64_t number = from.carry.size() > begin_size ? from.carry.back() : 0;
  Place begin = from;
  begin.carry.resize(begin_size);
  if (run_begin_ != begin) {
    run_begin_.reset();
    seek(begin);
    run_ = {};
    const std::uint64_t key = sweep_->run_key(number_);
    draw(product(options_.minibatch_size, kRunMinibatches), run_);
    batches_ = internal::batches_by_length(counts_costs() ? run_.costs : run_.samples,
                                           options_.minibatch_size, options_.unit, key);
    run_begin_ = begin;
  }
  if (number > 0 && number >= batches_.count()) {
    throw ConfigError(formatted("position: carry {}: the run that begins here has {} batches",
                                number, batches_.count()));
  }
  Draw drawn;
  drawn.load = std::exchange(run_.load, {});
  const bool is_last = number + 1 >= batches_.count();
  if (is_last) {
    drawn.ends_sweep = run_.ends_sweep;
    drawn.ends_epoch = run_.ends_epoch;
    drawn.release = run_.release;
    drawn.next = run_.next;
  } else {
    drawn.next = begin;
    drawn.next.carry.push_back(number + 1);
  }
  if (batches_.count() > 0) take_batch(number, drawn);
  return own_part(std::move(drawn));
}

void KeyedSequencer::Walk::take_batch(std::int64_t number, Draw& draw) const {
  for (const std::int64_t i : batches_.batch(number)) {
    const auto sequence = static_cast<std::size_t>(i);
    draw.sequences.push_back(run_.sequences[sequence]);
    draw.samples.push_back(run_.samples[sequence]);
    draw.sample_count += run_.samples[sequence];
    if (!run_.owners.empty()) draw.owners.push_back(run_.owners[sequence]);
  }
}

// What this worker delivers of a minibatch. Sequences of like length cost alike.
Step KeyedSequencer::Walk::own_part(Draw draw) {
  Step step;
  step.ends_sweep = draw.ends_sweep;
  step.ends_epoch = draw.ends_epoch;
  step.load = std::move(draw.load);
  step.release = std::move(draw.release);
  step.next = std::move(draw.next);
  if (options_.worker_count == 1) {
    step.sample_count = draw.sample_count;
    step.sequences = std::move(draw.sequences);
    return step;
  }
  const bool is_cost = options_.balance == Balance::cost && options_.batching == Batching::plain;
  costs_ = counts_costs() && is_cost ? std::move(draw.costs) : draw.samples;
  if (!is_cost) std::ranges::fill(costs_, 1);
  std::vector<std::int64_t> workers = draw.owners;
  balancer_.share_out(costs_, options_.worker_count, is_cost ? kTolerance : kMax, workers);
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (workers[i] != options_.worker_index) continue;
    step.sequences.push_back(draw.sequences[i]);
    step.sample_count += draw.samples[i];
    if (draw.owners[i] == options_.worker_index) continue;
    const ChunkRange alone{draw.sequences[i].chunk, draw.sequences[i].sequence, 1};
    step.load.push_back(alone);
    step.release.push_back(alone);
  }
  return step;
}

Place KeyedSequencer::Walk::place_of(std::int64_t sample) {
  learn_units();
  const std::int64_t all = units_->sample_count();
  if (all == 0) {
    if (sample == 0) return {};
    throw ConfigError("position: the data have no samples");
  }
  begin_sweep(sample / all);
  held_tick_.reset();
  const std::int64_t wanted = sample % all;
  while (sample_ < wanted) {
    if (tick_left_ == 0) skip_empty_ticks();
    for (; tick_left_ > 0 && sample_ < wanted; --tick_left_, ++number_) {
      const KeyedTick::Sequence sequence = tick_->next();
      sample_ += sample_count(sequence);
      if (counts_costs()) cost_ += cost(sequence);
    }
  }
  if (is_at_end()) begin_sweep(sweep_number_ + 1);
  Place place{.epoch = epochs_.epoch_of(sweep_number_, sample_, all),
              .sweep = sweep_number_,
              .sequence = number_,
              .sample = sample_,
              .carry = carry()};
  epochs_.check_begins(place);
  return place;
}

std::optional<Step> KeyedSequencer::Walk::sequence_at(std::int64_t sweep, std::int64_t number) {
  learn_units();
  if (sweep < 0 || number < 0 || number >= units_->sequence_count()) return {};
  if (!lookup_ || lookup_->sweep_number != sweep) {
    lookup_.emplace(
        Lookup{sweep, KeyedSweep(*units_, lap_count(), options_.seed, sweep), 0, std::nullopt});
  }
  std::int64_t tick = lookup_->sweep.tick_of(number);
  const std::int64_t offset = number - lookup_->sweep.first_of(tick);
  for (;; ++tick) {
    if (!lookup_->tick || lookup_->tick_number != tick) {
      lookup_->tick.emplace(lookup_->sweep, tick, 1);
      lookup_->tick_number = tick;
    }
    if (offset < lookup_->tick->size()) break;  // else it is empty
  }
  lookup_->tick->go_to(offset);
  const KeyedTick::Sequence sequence = lookup_->tick->next();
  return internal::single_step(counts_, {sequence.chunk, sequence.number},
                               units_->sequence_count(sequence.chunk));
}

KeyedSequencer::KeyedSequencer(std::shared_ptr<const Counts> counts, const OrderOptions& options)
    : counts_(std::move(counts)), options_(options) {
  assert(counts_ != nullptr);
  internal::check_order(options_);
  internal::check_window(options_, "keyed");
  internal::check_unit(*counts_, options_);
  walk_ = std::make_unique<Walk>(*counts_, options_);
}

KeyedSequencer::~KeyedSequencer() = default;

std::string_view KeyedSequencer::algorithm() const noexcept { return "keyed/1"; }

std::map<std::string, std::string> KeyedSequencer::options() const {
  std::map<std::string, std::string> texts = internal::epoch_option_texts(options_);
  texts["seed"] = formatted("{}", options_.seed);
  texts.insert(internal::window_option_text(options_));
  if (options_.batching == Batching::bucketed) {
    texts["batching"] = "bucketed";
    texts["minibatch_size"] = formatted("{}", options_.minibatch_size);
    texts["unit"] = internal::to_text(options_.unit);
  } else if (options_.unit == MinibatchUnit::cost) {
    texts["unit"] = internal::to_text(options_.unit);  // places carry costs
  }
  return texts;
}

std::int64_t KeyedSequencer::window_chunks() const noexcept {
  return internal::window_chunks_of(options_);
}

std::optional<Step> KeyedSequencer::step(const Place& from) const {
  internal::check_form(from);
  const bool is_bucketed = options_.batching == Batching::bucketed;
  const bool is_cost = options_.unit == MinibatchUnit::cost;
  const std::size_t carry_max = (is_bucketed ? 1U : 0U) + (is_cost ? 1U : 0U);
  const bool is_negative = std::ranges::any_of(from.carry, [](auto each) { return each < 0; });
  if (from.carry.size() > carry_max || is_negative) {
    const std::string_view takes = is_cost && is_bucketed
                                       ? "a cost and the number of a batch as carry"
                                   : is_cost     ? "a cost as carry"
                                   : is_bucketed ? "the number of a batch as carry"
                                                 : "no carry";
    throw ConfigError(formatted("position: the order \"keyed\" takes {}: got {} numbers", takes,
                                from.carry.size()));
  }
  return walk_->step(from);
}

Place KeyedSequencer::place_of(std::int64_t sample) const { return walk_->place_of(sample); }

std::optional<Step> KeyedSequencer::sequence_at(std::int64_t sweep, std::int64_t number) const {
  if (options_.batching == Batching::bucketed) return Sequencer::sequence_at(sweep, number);
  return walk_->sequence_at(sweep, number);
}

}  // namespace sheaf
