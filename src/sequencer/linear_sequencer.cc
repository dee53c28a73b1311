#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/sequencer.h"

#include "base/saturated.h"
#include "base/text.h"
#include "sequencer/order_parts.h"
#include "sequencer/window_change.h"

// File order. A minibatch is a run of sequences: the first one always, then more as long as they
// fit. A minibatch goes on across the ends of chunks. It also goes on across the end of a sweep,
// unless the options cut there. Two rules deal with sequences without samples. They fit a full
// minibatch, so no minibatch has such sequences only. And a minibatch crosses the end of a sweep
// only if it is partly full. Otherwise data without any samples would make an endless minibatch.
//
// Each of several workers takes every n-th sequence. Sequences are dealt to workers across the
// sweeps of an epoch, so a place carries the count of sequences dealt, modulo the workers. An epoch
// starts this count at the number of the sequence within its sweep, as CNTK does.
//
// A place is found by walking over the counts of the chunks. The cursor remembers the chunk of the
// last place, so a run from beginning to end asks for each chunk once a sweep. Possibly not all
// counts are known yet, so a chunk is asked for only when the sequences before it are used up.
//
// A step costs the writing of its list of sequences, 16 bytes each. In most data, all sequences of
// a chunk have equally many samples. Runs of them are taken with one division.

namespace sheaf {

using internal::ChunkSamples;
using internal::Epochs;
using internal::Request;

namespace {

std::int64_t number(ChunkIndex chunk) { return static_cast<std::int64_t>(chunk); }

std::int64_t sum(const ChunkSamples& samples, std::int64_t first, std::int64_t last) {
  if (samples.constant) return *samples.constant * (last - first);
  std::int64_t result = 0;
  for (std::int64_t i = first; i < last; ++i) result += samples.counts[i];
  return result;
}

/// Consecutive sequences, and the number of their samples.
struct Run {
  std::int64_t sequence_count = 0;
  std::int64_t sample_count = 0;
};

/// The amount that a step may still take from one chunk.
struct Room {
  MinibatchUnit unit = MinibatchUnit::samples;
  Request left;                 // in what `unit` counts
  bool takes_one = false;       // the first sequence is taken whatever its size
  std::int64_t epoch_left = 0;  // samples before the end of the epoch
  std::int64_t worker_index = 0;
  std::int64_t worker_count = 1;
  std::int64_t dealt = 0;  // sequences dealt so far
};

/// Returns how much of the sequences [first, first + count) fits the room, for a single worker.
Run run_of_samples(const ChunkSamples& samples, std::int64_t first, std::int64_t count,
                   const Room& room) {
  if (samples.constant) {
    const std::int64_t size = *samples.constant;
    if (size == 0) return {room.left.own >= 0 && room.epoch_left > 0 ? count : 0, 0};
    const std::int64_t starting = room.epoch_left / size + (room.epoch_left % size > 0 ? 1 : 0);
    std::int64_t fitting = std::max<std::int64_t>(room.left.own, 0) / size;
    if (fitting == 0 && room.takes_one) fitting = 1;
    fitting = std::min({fitting, starting, count});
    return {fitting, fitting * size};
  }
  Run run;
  while (run.sequence_count < count && run.sample_count < room.epoch_left) {
    const std::int64_t size = samples.counts[first + run.sequence_count];
    const bool fits = size <= room.left.own - run.sample_count;
    if (!fits && !(room.takes_one && run.sequence_count == 0)) break;
    run.sample_count += size;
    ++run.sequence_count;
  }
  return run;
}

/// Does the same if minibatches count sequences.
Run run_of_sequences(const ChunkSamples& samples, std::int64_t first, std::int64_t count,
                     const Room& room) {
  Run run;
  const std::int64_t most = std::min(count, room.left.own);
  if (room.epoch_left == Epochs::kNever) return {most, sum(samples, first, first + most)};
  while (run.sequence_count < most && run.sample_count < room.epoch_left) {
    run.sample_count += samples.counts[first + run.sequence_count];
    ++run.sequence_count;
  }
  return run;
}

/// The sequences that a step took from one chunk, and their cost in what Room::unit counts.
struct Taken {
  Run run;
  Request cost;
  std::int64_t own_count = 0;  // sequences of this worker
};

/// Does the same as run_of_samples() if minibatches count declared costs.
Taken take_by_cost(const ChunkSamples& samples, const ChunkSamples& costs, std::int64_t first,
                   std::int64_t count, const Room& room) {
  Run run;
  std::int64_t taken = 0;
  while (run.sequence_count < count && run.sample_count < room.epoch_left) {
    const std::int64_t cost = costs.counts[first + run.sequence_count];
    const bool fits = cost <= room.left.own - taken;
    if (!fits && !(room.takes_one && run.sequence_count == 0)) break;
    taken += cost;
    run.sample_count += samples.counts[first + run.sequence_count];
    ++run.sequence_count;
  }
  return {run, {taken, taken}, run.sequence_count};
}

void append(std::vector<SequenceRef>& sequences, ChunkIndex chunk, std::int64_t first,
            std::int64_t count, const StepRoom& room) {
  const std::size_t end = sequences.size();
  room.check(static_cast<std::int64_t>(end) + count);
  sequences.resize(end + static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    sequences[end + static_cast<std::size_t>(i)] = {chunk, first + i};
  }
}

/// Returns how many sequences were dealt to workers before a place, modulo the workers.
std::int64_t dealt_before(const Place& place, std::int64_t worker_count) {
  if (place.carry.empty()) return place.sequence % worker_count;
  if (place.carry.size() > 1 || place.carry[0] < 0 || place.carry[0] >= worker_count) {
    throw ConfigError(
        formatted("position: the order \"file\" carries one number below the number of workers, "
                  "{}: got {} numbers, the first is {}",
                  worker_count, place.carry.size(), place.carry[0]));
  }
  return place.carry[0];
}

}  // namespace

/// A place: a chunk and a sequence of the chunk. The cursor walked to the chunk, so it knows how
/// many sequences and samples of the sweep come before the chunk.
struct LinearSequencer::Cursor final : OrderCursor {
  ChunkIndex chunk{};
  std::int64_t first_sequence = 0;  // of the chunk, within the sweep
  std::int64_t first_sample = 0;
  ChunkCounts counts;                   // no sequences: the cursor stands nowhere yet
  std::optional<ChunkSamples> samples;  // null until needed
  std::optional<ChunkSamples> costs;    // null until needed
  std::int64_t taken_sequences = 0;     // sequences of the chunk before the cursor
  std::int64_t taken_samples = 0;
  std::int64_t sweep_samples = 0;  // 0 until the end of the first sweep

  [[nodiscard]] bool is_at_end() const { return taken_sequences == counts.sequence_count; }
  [[nodiscard]] std::int64_t end_sequence() const { return first_sequence + counts.sequence_count; }
  [[nodiscard]] std::int64_t end_sample() const { return first_sample + counts.sample_count; }
  [[nodiscard]] std::int64_t sequence() const { return first_sequence + taken_sequences; }
  [[nodiscard]] std::int64_t sample() const { return first_sample + taken_samples; }

  /// Goes to the beginning of the first chunk with sequences, from chunk `from` on. If there is
  /// none, stays where it is and returns false.
  bool enter(const Counts& all, ChunkIndex from, std::int64_t sequence, std::int64_t sample) {
    for (ChunkIndex at = from;; at = next(at)) {
      const std::optional<ChunkCounts> found = all.chunk_counts(at);
      if (!found) return false;
      if (found->sequence_count < 0 || found->sample_count < 0) {
        throw InternalError(formatted("counts: chunk {} has {} sequences and {} samples",
                                      number(at), found->sequence_count, found->sample_count));
      }
      if (found->sequence_count == 0) continue;
      chunk = at;
      first_sequence = sequence;
      first_sample = sample;
      counts = *found;
      samples.reset();
      costs.reset();
      taken_sequences = taken_samples = 0;
      return true;
    }
  }

  /// Finds out how many samples a sweep has.
  void learn_sweep(const Counts& all) {
    if (sweep_samples > 0) return;
    std::int64_t sum_of_chunks = 0;
    for (ChunkIndex at{0};; at = next(at)) {
      const std::optional<ChunkCounts> found = all.chunk_counts(at);
      if (!found) break;
      sum_of_chunks += found->sample_count;
    }
    sweep_samples = sum_of_chunks;
  }

  bool enter_first(const Counts& all) { return enter(all, ChunkIndex{0}, 0, 0); }
  bool enter_next(const Counts& all) {
    return enter(all, next(chunk), end_sequence(), end_sample());
  }

  const ChunkSamples& sample_counts(const Counts& all) {
    if (!samples) samples.emplace(internal::chunk_samples(all, chunk, counts.sequence_count));
    return *samples;
  }

  const ChunkSamples& cost_counts(const Counts& all) {
    if (!costs) costs.emplace(internal::chunk_costs(all, chunk, counts.sequence_count));
    return *costs;
  }

  enum class Found { sequence, sweep_end, nothing };

  /// Goes to the sequence that follows a place, from here on or from the beginning. Returns
  /// Found::nothing if the data have no sequences.
  Found seek(const Counts& all, const Place& place) {
    const bool is_before = counts.sequence_count > 0 && first_sequence <= place.sequence;
    if (!is_before && !enter_first(all)) {
      if (place.sequence > 0) internal::throw_beyond(place, 0);
      internal::check_sample(place, 0);
      return Found::nothing;
    }
    while (place.sequence >= end_sequence()) {
      if (enter_next(all)) continue;
      if (place.sequence > end_sequence()) internal::throw_beyond(place, end_sequence());
      internal::check_sample(place, end_sample());
      return Found::sweep_end;
    }
    move_to(all, place.sequence - first_sequence);
    internal::check_sample(place, sample());
    return Found::sequence;
  }

  /// Goes to a sequence of this chunk.
  void move_to(const Counts& all, std::int64_t sequence_of_chunk) {
    if (sequence_of_chunk < taken_sequences) taken_sequences = taken_samples = 0;
    if (sequence_of_chunk == taken_sequences) return;
    taken_samples += sum(sample_counts(all), taken_sequences, sequence_of_chunk);
    taken_sequences = sequence_of_chunk;
  }

  /// Takes the next sequences of this chunk that fit, and appends them to the step.
  Taken take(const Counts& all, Room room, const StepRoom& step_room, Step& step) {
    const std::int64_t count = counts.sequence_count - taken_sequences;
    Taken taken;
    const ChunkSamples* const declared =
        room.unit == MinibatchUnit::cost ? &cost_counts(all) : nullptr;
    if (room.worker_count > 1) {
      taken = deal(sample_counts(all), declared, count, room, step_room, step);
    } else if (declared != nullptr) {
      taken = take_by_cost(sample_counts(all), *declared, taken_sequences, count, room);
      append(step.sequences, chunk, taken_sequences, taken.run.sequence_count, step_room);
      step.sample_count += taken.run.sample_count;
    } else {
      const ChunkSamples& sizes = sample_counts(all);
      const bool by_samples = room.unit == MinibatchUnit::samples;
      const Run run = by_samples ? run_of_samples(sizes, taken_sequences, count, room)
                                 : run_of_sequences(sizes, taken_sequences, count, room);
      append(step.sequences, chunk, taken_sequences, run.sequence_count, step_room);
      step.sample_count += run.sample_count;
      const std::int64_t cost = by_samples ? run.sample_count : run.sequence_count;
      taken = {run, {cost, cost}, run.sequence_count};
    }
    taken_sequences += taken.run.sequence_count;
    taken_samples += taken.run.sample_count;
    if (is_at_end() && taken_samples != counts.sample_count) {
      throw InternalError(
          formatted("counts: chunk {} has {} samples, but its sequences have {} together",
                    number(chunk), counts.sample_count, taken_samples));
    }
    return taken;
  }

  /// Does the same if sequences are dealt to workers. Sequences of other workers use up
  /// `left.all` only.
  Taken deal(const ChunkSamples& sizes, const ChunkSamples* declared, std::int64_t count,
             const Room& room, const StepRoom& step_room, Step& step) const {
    Taken taken;
    Run& run = taken.run;
    bool needs_one = room.takes_one;
    for (; run.sequence_count < count && run.sample_count < room.epoch_left; ++run.sequence_count) {
      const std::int64_t sequence = taken_sequences + run.sequence_count;
      const std::int64_t size = sizes.counts[sequence];
      const std::int64_t cost = declared != nullptr                   ? declared->counts[sequence]
                                : room.unit == MinibatchUnit::samples ? size
                                                                      : 1;
      const Request left{room.left.all - taken.cost.all, room.left.own - taken.cost.own};
      const bool is_full = left.all <= 0 || left.own <= 0;
      const bool is_own =
          (room.dealt + run.sequence_count) % room.worker_count == room.worker_index;
      if (is_full && cost > 0) break;
      if (!needs_one && (cost > left.all || (is_own && cost > left.own))) break;
      if (is_own) {
        step_room.check(std::ssize(step.sequences) + 1);
        step.sequences.push_back({chunk, sequence});
        step.sample_count += size;
        taken.cost.own += cost;
        ++taken.own_count;
        needs_one = false;
      }
      taken.cost.all = internal::saturated_sum(taken.cost.all, cost);
      run.sample_count += size;
    }
    return taken;
  }
};

LinearSequencer::LinearSequencer(std::shared_ptr<const Counts> counts, const OrderOptions& options)
    : counts_(std::move(counts)), options_(options) {
  assert(counts_ != nullptr);
  internal::check_order(options_);
  internal::check_unit(*counts_, options_);
}

LinearSequencer::~LinearSequencer() = default;

std::string_view LinearSequencer::algorithm() const noexcept { return "file"; }

std::map<std::string, std::string> LinearSequencer::options() const {
  return internal::order_option_texts(options_);
}

std::unique_ptr<OrderCursor> LinearSequencer::make_cursor() const {
  return std::make_unique<Cursor>();
}

std::optional<Step> LinearSequencer::step(const Place& from, OrderCursor& order_cursor,
                                          const StepRoom& room) const {
  internal::check_form(from);
  const std::int64_t dealt = dealt_before(from, options_.worker_count);
  const Epochs epochs(options_);
  // If the counts throw, the cursor still stands at a valid place.
  auto& cursor = internal::cursor_as<Cursor>(order_cursor);
  if (from.sweep > 0) cursor.learn_sweep(*counts_);
  epochs.check(from, cursor.sweep_samples);
  if (epochs.is_over(from.epoch)) return {};
  switch (cursor.seek(*counts_, from)) {
    case Cursor::Found::nothing:
      return {};
    case Cursor::Found::sweep_end: {
      Place place = from;
      ++place.sweep;
      place.sequence = place.sample = 0;
      cursor.sweep_samples = cursor.end_sample();
      if (epochs.end_in_sweep(place.epoch, place.sweep, cursor.sweep_samples) == 0) ++place.epoch;
      return step(place, cursor, room);
    }
    case Cursor::Found::sequence:
      break;
  }
  return step_from_cursor(from, dealt, cursor, room);
}

// Pre: the cursor stands at `from`, before a sequence.
Step LinearSequencer::step_from_cursor(const Place& from, std::int64_t dealt, Cursor& cursor,
                                       const StepRoom& room) const {
  const Epochs epochs(options_);
  Step result;
  result.sweep = from.sweep;
  std::int64_t sweep = from.sweep;
  Request left = internal::request_of(options_);
  const auto end_of_epoch = [&] {
    return epochs.end_in_sweep(from.epoch, sweep, cursor.sweep_samples);
  };
  result.ends_epoch = cursor.sample() >= end_of_epoch();
  result.ends_sweep = result.ends_epoch && sweep > 0 && cursor.sequence() == 0;
  // As in CNTK, a worker without a sequence so far crosses the end of a sweep, and takes a sequence
  // even then.
  bool has_any = false;
  std::int64_t own_count = 0;  // taken since the last end of a sweep, as own_cost
  std::int64_t own_cost = 0;
  while (!result.ends_epoch) {
    const std::int64_t end = end_of_epoch();
    const std::size_t first = result.sequences.size();
    const Taken taken =
        cursor.take(*counts_,
                    {.unit = options_.unit,
                     .left = left,
                     .takes_one = result.sequences.empty(),
                     .epoch_left = end == Epochs::kNever ? end : end - cursor.sample(),
                     .worker_index = options_.worker_index,
                     .worker_count = options_.worker_count,
                     .dealt = dealt},
                    room, result);
    internal::name_sweep(result, first, sweep);
    left.all -= taken.cost.all;
    left.own -= taken.cost.own;
    dealt = (dealt + taken.run.sequence_count) % options_.worker_count;
    has_any |= taken.cost.all > 0;
    own_count += taken.own_count;
    own_cost += taken.cost.own;
    if (!cursor.is_at_end()) {
      result.ends_epoch = cursor.sample() >= end;
      break;
    }
    result.passed.push_back({cursor.chunk});
    if (cursor.enter_next(*counts_)) {
      result.ends_epoch = cursor.sample() >= end;
      continue;
    }
    result.ends_sweep = true;
    cursor.sweep_samples = cursor.end_sample();
    ++sweep;
    if (!cursor.enter_first(*counts_)) throw InternalError("counts: the chunks are gone");
    result.ends_epoch = end_of_epoch() <= 0;
    if (options_.sweep_ends == SweepEnds::cut || !has_any || left.all <= 0 || left.own <= 0) break;
    // All sequences of a worker may cost 0. Without this check, its minibatch would never be full.
    if (options_.unit == MinibatchUnit::cost && own_count > 0 && own_cost == 0) break;
    own_count = own_cost = 0;
  }
  result.next = {.epoch = from.epoch + (result.ends_epoch ? 1 : 0),
                 .sweep = sweep,
                 .sequence = cursor.sequence(),
                 .sample = cursor.sample(),
                 .carry = {}};
  if (options_.worker_count > 1 && !result.ends_epoch &&
      dealt != result.next.sequence % options_.worker_count) {
    result.next.carry.push_back(dealt);
  }
  if (result.ends_sweep) {
    internal::make_set(result.passed);  // a step may pass a chunk twice
    if (!epochs.is_over(result.next.epoch)) std::erase(result.passed, ChunkRange{cursor.chunk});
  }
  return result;
}

Place LinearSequencer::place_of(std::int64_t sample) const {
  Cursor cursor;
  cursor.learn_sweep(*counts_);
  if (cursor.sweep_samples == 0) {
    if (sample == 0) return {};
    throw ConfigError("position: the data have no samples");
  }
  std::int64_t sweep = sample / cursor.sweep_samples;
  const std::int64_t wanted = sample % cursor.sweep_samples;
  if (!cursor.enter_first(*counts_)) throw InternalError("counts: the chunks are gone");
  while (cursor.end_sample() < wanted) {
    if (!cursor.enter_next(*counts_)) throw InternalError("counts: the chunks are gone");
  }
  while (cursor.sample() < wanted) cursor.move_to(*counts_, cursor.taken_sequences + 1);
  if (cursor.is_at_end() && !cursor.enter_next(*counts_)) {
    ++sweep;
    if (!cursor.enter_first(*counts_)) throw InternalError("counts: the chunks are gone");
  }
  const Epochs epochs(options_);
  Place place{.epoch = epochs.epoch_of(sweep, cursor.sample(), cursor.sweep_samples),
              .sweep = sweep,
              .sequence = cursor.sequence(),
              .sample = cursor.sample(),
              .carry = {}};
  epochs.check_begins(place);
  return place;
}

std::optional<Step> LinearSequencer::sequence_at(std::int64_t sweep, std::int64_t number,
                                                 OrderCursor& /*cursor*/) const {
  if (sweep < 0 || number < 0) return {};
  for (ChunkIndex chunk{0};; chunk = next(chunk)) {
    const std::optional<ChunkCounts> found = counts_->chunk_counts(chunk);
    if (!found) return {};
    if (number < found->sequence_count) {
      Step step = internal::single_step(*counts_, {chunk, number}, found->sequence_count);
      step.sweep = sweep;
      return step;
    }
    number -= found->sequence_count;
  }
}

}  // namespace sheaf
