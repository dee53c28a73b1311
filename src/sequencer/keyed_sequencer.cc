#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/sequencer.h"

#include "base/permutation.h"
#include "base/saturated.h"
#include "base/text.h"
#include "sequencer/exact_sizes.h"
#include "sequencer/keyed_sweep.h"
#include "sequencer/keyed_units.h"
#include "sequencer/length_batches.h"
#include "sequencer/order_parts.h"
#include "sequencer/unit_map.h"
#include "sequencer/window_change.h"
#include "sequencer/worker_share.h"

// KeyedSweep decides the order of a sweep. This file cuts that order into minibatches, and shares
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
//
// With buckets, the axis is divided into runs of kRunMinibatches minibatches. A place is then the
// beginning of a run, and carries the number of the batch within the run.
//
// The window of a place has the worker's data of the tick that delivers the next sequence. Within a
// run of batches, the window has the data of all ticks of the run.

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
constexpr std::int64_t kMax = Epochs::kNever;

__extension__ using Wide = __int128;

/// Sequences drawn from the order, and what changes with them.
struct Draw : internal::DrawnSequences {
  std::vector<ChunkRange> passed;  // this worker's data that no later step of the sweep needs
  WindowChange change;             // from the place before the draw to `next`
  bool ends_sweep = false;
  bool ends_epoch = false;
  Place next;
};

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

std::int64_t product(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? kMax : result;
}

void check_keyed_place(const Place& place, const OrderOptions& options) {
  internal::check_form(place);
  const bool is_bucketed = options.batching == Batching::bucketed;
  const bool is_cost = options.unit == MinibatchUnit::cost;
  const std::size_t carry_max = (is_bucketed ? 1U : 0U) + (is_cost ? 1U : 0U);
  const bool is_negative = std::ranges::any_of(place.carry, [](auto each) { return each < 0; });
  if (place.carry.size() <= carry_max && !is_negative) return;
  const std::string_view takes = is_cost && is_bucketed
                                     ? "a cost and the number of a batch as carry"
                                 : is_cost     ? "a cost as carry"
                                 : is_bucketed ? "the number of a batch as carry"
                                               : "no carry";
  throw ConfigError(formatted("position: the order \"keyed\" takes {}: got {} numbers", takes,
                              place.carry.size()));
}

// Returns the sum of the costs of all sequences.
std::int64_t sum_of_costs(const Counts& counts, std::int64_t chunk_count) {
  constexpr std::int64_t kCostMax = kMax / 2;  // so that sums with places cannot overflow
  std::int64_t all = 0;
  for (std::int64_t chunk = 0; chunk < chunk_count; ++chunk) {
    all = internal::saturated_sum(all, counts.chunk_cost(ChunkIndex{chunk}));
  }
  if (all <= kCostMax) return all;
  throw ConfigError(
      formatted("unit \"cost\": the costs of all sequences are more than {} together", kCostMax));
}

}  // namespace

struct KeyedSequencer::Data : internal::KeyedUnits {
  Data(const Counts& counts, const OrderOptions& options) : KeyedUnits(counts, options) {
    if (options.unit == MinibatchUnit::cost) cost = sum_of_costs(counts, units.chunk_count());
  }

  std::int64_t cost = 0;  // of all sequences; 0 if minibatches do not count costs
};

class KeyedSequencer::Walk final : public OrderCursor {
 public:
  Walk(const Counts& counts, const OrderOptions& options)
      : counts_(counts), options_(options), epochs_(options), share_(options) {}

  /// Pre: the data are the same in every call. The calls below need the data.
  void set_data(const std::shared_ptr<const Data>& data);

  [[nodiscard]] std::optional<Step> step(const Place& from, const StepRoom& room);
  [[nodiscard]] std::vector<ChunkRange> window_at(const Place& place);
  [[nodiscard]] const internal::LastChange& last_change() const noexcept { return last_change_; }
  [[nodiscard]] Place place_of(std::int64_t sample);
  [[nodiscard]] std::optional<Step> sequence_at(std::int64_t sweep, std::int64_t number);

 private:
  /// The sweep that sequence_at() reads. The sweep that steps are taken from is another object.
  struct Lookup {
    std::int64_t sweep_number = 0;
    KeyedSweep sweep;
    std::int64_t tick_number = 0;
    std::optional<KeyedTick> tick = {};
  };

  /// The table of a chunk whose sequences have different lengths.
  struct SamplesOfChunk {
    std::optional<SampleCounts> counts;
    std::int64_t tick = 0;  // tick that last asked for the table
  };

  /// The data that a draw held at its beginning, and the data that entered until its last sequence.
  struct Held {
    std::int64_t first_tick = 0;
    std::int64_t last_tick = 0;
    bool ends_sweep = false;
    std::vector<ChunkRange> begin;  // filled if the sweep ends with the draw: the first tick's data
    std::vector<ChunkRange> entered;  // data of the later ticks; see knows_entered
    bool knows_entered = false;
  };

  /// A place within a run of batches: the beginning of the run, and the number of the batch.
  struct RunPlace {
    Place begin;
    std::int64_t batch = 0;
  };

  [[nodiscard]] bool check(const Place& from) const;
  void check_cost(const Place& from) const;
  void seek(const Place& place);
  void begin_sweep(std::int64_t number);
  void enter_tick(std::int64_t tick);
  void skip_empty_ticks();
  [[nodiscard]] std::int64_t draw_end(std::int64_t size) const;
  void draw(std::int64_t size, const StepRoom& room, Draw& draw);
  void cut_rest(Draw& draw) const;
  [[nodiscard]] bool has_minibatch(const StepRoom& room);
  [[nodiscard]] bool has_minibatch_in_sweep(std::int64_t number) const noexcept {
    return units_->sequence_count() - number >= options_.minibatch_size;
  }
  void leave_out(std::int64_t sample_end, const StepRoom& room, Held& held, Draw& draw);
  void end_sweep(Held& held, Draw& draw);
  void note_entered(Held& held) const;
  void check_sum() const;
  void take(std::int64_t end, std::int64_t epoch_ends, const StepRoom& room, Draw& draw);
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

  void append_own(std::int64_t tick, Which which, std::vector<ChunkRange>& own) const;
  void append_entering(std::int64_t begin, std::int64_t end, std::vector<ChunkRange>& own) const;
  [[nodiscard]] bool is_one_lap() const noexcept { return sweep_->tick_count() == 1; }
  [[nodiscard]] bool is_near(const Held& held) const noexcept;
  void set_change(Held& held, bool ends_run, Draw& draw) const;
  [[nodiscard]] WindowChange change_of_run(const Held& held, bool ends_run) const;
  [[nodiscard]] RunPlace run_place(const Place& place) const;
  void begin_run(const Place& begin);
  [[nodiscard]] Step batch_step(const Place& from);
  void take_batch(std::int64_t number, Draw& draw) const;
  [[nodiscard]] Step own_part(Draw draw);
  void record(const Place& from, Step& step, WindowChange change);
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
  std::shared_ptr<const UnitMap> units_;
  std::int64_t laps_ = 1;
  std::int64_t cost_of_all_ = 0;

  // The place of the walk. Between calls, the current tick has a sequence to deliver.
  std::int64_t epoch_ = 0;
  std::int64_t sweep_number_ = 0;
  std::int64_t number_ = 0;  // of the next sequence
  std::int64_t sample_ = 0;
  // Of the sequences of the sweep before the place; 0 if costs are not counted.
  std::int64_t cost_ = 0;
  bool is_settled_ = true;       // false after an exception in the middle of a draw
  std::optional<Place> sought_;  // where the walk entered the sweep, unless at its beginning

  // The current sweep; null before the first one.
  std::unique_ptr<KeyedSweep> sweep_;
  std::unique_ptr<KeyedTick> tick_;
  std::int64_t tick_number_ = 0;
  std::int64_t tick_left_ = 0;                 // sequences of the tick that are not yet delivered
  std::vector<std::int64_t> samples_of_each_;  // [chunk]; -1: unknown, or not all equal
  std::vector<SamplesOfChunk> samples_;        // [chunk]
  std::vector<SamplesOfChunk> declared_;       // [chunk]: costs
  std::int64_t ticks_entered_ = 0;
  std::int64_t last_size_ = 0;  // of the last draw; the next one is about as large

  // With buckets: the run of the last place, and its window. The first step of a run loads the
  // ranges `entered` of run_held_. The last step goes from all data of the run to the next place
  // (run_end_change_).
  std::optional<Place> run_begin_;
  Draw run_;
  Held run_held_;
  WindowChange run_end_change_;
  LengthBatches batches_;

  internal::LastChange last_change_;

  std::optional<Lookup> lookup_;

  internal::WorkerShare share_;
};

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

// Records the data that entered during the draw, while its sweep still exists.
void KeyedSequencer::Walk::note_entered(Held& held) const {
  if (held.knows_entered) return;
  append_entering(held.first_tick + 1, held.last_tick + 1, held.entered);
  held.knows_entered = true;
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

// Draws the run that begins at a place.
void KeyedSequencer::Walk::begin_run(const Place& begin) {
  if (run_begin_ == begin) return;
  run_begin_.reset();
  seek(begin);
  run_ = {};
  const std::uint64_t key = sweep_->run_key(number_);
  draw(product(options_.minibatch_size, kRunMinibatches), StepRoom(), run_);
  const std::int64_t size = options_.minibatch_size;
  batches_ = options_.sizes == Sizes::exact
                 ? internal::exact_batches_by_length(run_.samples, size, key)
                 : internal::batches_by_length(counts_costs() ? run_.costs : run_.samples, size,
                                               options_.unit, key);
  run_begin_ = begin;
}

// Splits a place. Its carry has the cost before the run, if costs are counted, and then the number
// of the batch.
KeyedSequencer::Walk::RunPlace KeyedSequencer::Walk::run_place(const Place& place) const {
  const std::size_t begin_size = counts_costs() ? 1 : 0;
  RunPlace result{.begin = place};
  if (place.carry.size() > begin_size) result.batch = place.carry.back();
  result.begin.carry.resize(begin_size);
  return result;
}

Step KeyedSequencer::Walk::batch_step(const Place& from) {
  const auto [begin, number] = run_place(from);
  begin_run(begin);
  if (number > 0 && number >= batches_.count()) {
    throw ConfigError(formatted("position: carry {}: the run that begins here has {} batches",
                                number, batches_.count()));
  }
  Draw drawn;
  drawn.sweep = run_.sweep;
  WindowChange change;
  const bool is_last = number + 1 >= batches_.count();
  if (is_last) {
    drawn.ends_sweep = run_.ends_sweep;
    drawn.ends_epoch = run_.ends_epoch;
    drawn.next = run_.next;
    if (number == 0) drawn.passed = run_.passed;
    change = number == 0 ? run_.change : run_end_change_;
  } else {
    drawn.next = begin;
    drawn.next.carry.push_back(number + 1);
    if (number == 0) change.load = internal::without(run_held_.entered, {});
  }
  drawn.turn = run_.turn + number;
  if (batches_.count() > 0) take_batch(number, drawn);
  Step step = own_part(std::move(drawn));
  record(from, step, std::move(change));
  return step;
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

void KeyedSequencer::Walk::take_batch(std::int64_t number, Draw& draw) const {
  for (const std::int64_t i : batches_.batch(number)) {
    const auto sequence = static_cast<std::size_t>(i);
    draw.sequences.push_back(run_.sequences[sequence]);
    draw.samples.push_back(run_.samples[sequence]);
    draw.sample_count += run_.samples[sequence];
    if (!run_.owners.empty()) draw.owners.push_back(run_.owners[sequence]);
  }
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

KeyedSequencer::KeyedSequencer(std::shared_ptr<const Counts> counts, const OrderOptions& options)
    : counts_(std::move(counts)), options_(options) {
  assert(counts_ != nullptr);
  internal::check_order(options_);
  internal::check_window(options_, "keyed");
  internal::check_unit(*counts_, options_);
}

KeyedSequencer::~KeyedSequencer() = default;

std::string_view KeyedSequencer::algorithm() const noexcept { return "keyed/1"; }

std::map<std::string, std::string> KeyedSequencer::options() const {
  std::map<std::string, std::string> texts = internal::epoch_option_texts(options_);
  texts["seed"] = formatted("{}", options_.seed);
  texts.insert(internal::window_option_text(options_));
  if (options_.batching == Batching::bucketed) {
    texts["batching"] = to_string(options_.batching);
    texts["minibatch_size"] = formatted("{}", options_.minibatch_size);
    texts["unit"] = to_string(options_.unit);
  } else if (options_.unit == MinibatchUnit::cost) {
    texts["unit"] = to_string(options_.unit);  // places carry costs
  }
  if (options_.sizes == Sizes::exact) texts["sizes"] = to_string(options_.sizes);
  if (options_.drop_last) {
    texts["drop_last"] = "true";
    // Decides which sequences are left out.
    texts["minibatch_size"] = formatted("{}", options_.minibatch_size);
  }
  return texts;
}

std::int64_t KeyedSequencer::window_chunks() const noexcept {
  return internal::window_chunks_of(options_);
}

// All units must be known before the first one can be chosen.
std::shared_ptr<const KeyedSequencer::Data> KeyedSequencer::data() const {
  const std::scoped_lock lock(mutex_);
  if (!data_) data_ = std::make_shared<const Data>(*counts_, options_);
  return data_;
}

std::unique_ptr<OrderCursor> KeyedSequencer::make_cursor() const {
  return std::make_unique<Walk>(*counts_, options_);
}

std::optional<Step> KeyedSequencer::step(const Place& from, OrderCursor& cursor,
                                         const StepRoom& room) const {
  check_keyed_place(from, options_);
  auto& walk = internal::cursor_as<Walk>(cursor);
  walk.set_data(data());
  return walk.step(from, room);
}

WindowChange KeyedSequencer::window_change(const std::optional<Place>& from, const Place& to,
                                           OrderCursor& cursor) const {
  auto& walk = internal::cursor_as<Walk>(cursor);
  if (walk.last_change().is_between(from, to)) return walk.last_change().change;
  std::vector<ChunkRange> before;
  if (from) {
    check_keyed_place(*from, options_);
    Walk other(*counts_, options_);
    other.set_data(data());
    before = other.window_at(*from);
  }
  check_keyed_place(to, options_);
  walk.set_data(data());
  return internal::change_between(std::move(before), walk.window_at(to));
}

Place KeyedSequencer::place_of(std::int64_t sample) const {
  Walk walk(*counts_, options_);
  walk.set_data(data());
  return walk.place_of(sample);
}

std::optional<Step> KeyedSequencer::sequence_at(std::int64_t sweep, std::int64_t number,
                                                OrderCursor& cursor) const {
  if (options_.batching == Batching::bucketed) {
    return Sequencer::sequence_at(sweep, number, cursor);
  }
  auto& walk = internal::cursor_as<Walk>(cursor);
  walk.set_data(data());
  return walk.sequence_at(sweep, number);
}

}  // namespace sheaf
