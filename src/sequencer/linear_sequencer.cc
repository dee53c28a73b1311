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
#include "sheaf/sequencer.h"

#include "base/text.h"

// File order. A minibatch is a run of sequences: the first one always, then those that still fit.
// It goes on over the end of a chunk as if there were none, and over the end of a sweep too, unless
// the options cut there. Two rules keep sequences without samples from upsetting that: they fit a
// minibatch that is full, so that no minibatch is made for them alone; and a minibatch crosses the
// end of a sweep only with something in it and room left, or data without any samples would make
// one that never ends.
//
// A place is found by walking over the chunks' counts, so the cursor remembers the chunk of the
// last place, and a run from beginning to end asks for each chunk once a sweep. The counts may not
// be known to their end: a chunk is asked for only when the sequences before it are used up.
//
// Cost: what the step's list of sequences takes to write, 16 bytes each. Where the sequences of a
// chunk have equally many samples, as most data do, runs are taken with one division.

namespace sheaf {
namespace {

// Leaves room to count on from any place that is accepted.
constexpr std::int64_t kSweepMax = std::numeric_limits<std::int64_t>::max() / 2;

std::int64_t number(ChunkIndex chunk) { return static_cast<std::int64_t>(chunk); }

/// The samples of each sequence of a chunk, and whether they are all the same number: finding that
/// out costs a pass, so it is done once a chunk.
struct ChunkSamples {
  explicit ChunkSamples(SampleCounts samples)
      : counts(std::move(samples)), constant(counts.constant()) {}

  SampleCounts counts;
  std::optional<std::int64_t> constant;
};

std::int64_t sum(const ChunkSamples& samples, std::int64_t first, std::int64_t last) {
  if (samples.constant) return *samples.constant * (last - first);
  std::int64_t result = 0;
  for (std::int64_t i = first; i < last; ++i) result += samples.counts[i];
  return result;
}

/// Consecutive sequences, and the samples they have.
struct Run {
  std::int64_t sequence_count = 0;
  std::int64_t sample_count = 0;
};

/// How far [first, first + count) goes on until `room` samples are full. `takes_one`: the first
/// sequence is taken whatever its size.
Run run_of_samples(const ChunkSamples& samples, std::int64_t first, std::int64_t count,
                   std::int64_t room, bool takes_one) {
  if (samples.constant) {
    const std::int64_t size = *samples.constant;
    std::int64_t fitting = 0;
    if (room >= 0) fitting = size == 0 ? count : std::min(count, room / size);
    if (fitting == 0 && takes_one) fitting = 1;
    return {fitting, fitting * size};
  }
  Run run;
  while (run.sequence_count < count) {
    const std::int64_t size = samples.counts[first + run.sequence_count];
    const bool fits = size <= room - run.sample_count;
    if (!fits && !(takes_one && run.sequence_count == 0)) break;
    run.sample_count += size;
    ++run.sequence_count;
  }
  return run;
}

void append(std::vector<SequenceRef>& sequences, ChunkIndex chunk, std::int64_t first,
            std::int64_t count) {
  const std::size_t end = sequences.size();
  sequences.resize(end + static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    sequences[end + static_cast<std::size_t>(i)] = {chunk, first + i};
  }
}

void check_form(const Place& place) {
  if (place.sweep < 0 || place.sequence < 0 || place.sample < 0 || place.sweep > kSweepMax) {
    throw ConfigError(formatted("position: no order has the place sweep {}, sequence {}, sample {}",
                                place.sweep, place.sequence, place.sample));
  }
  if (!place.carry.empty()) {
    throw ConfigError(
        formatted("position: the order \"file\" splits no sequences and takes no carry: got {} "
                  "numbers",
                  place.carry.size()));
  }
}

[[noreturn]] void throw_beyond(const Place& place, std::int64_t sequence_count) {
  throw ConfigError(formatted("position: sequence {} lies beyond the data, which have {}",
                              place.sequence, sequence_count));
}

void check_sample(const Place& place, std::int64_t sample) {
  if (place.sample == sample) return;
  throw ConfigError(
      formatted("position: sample {} does not belong to sequence {}, which has {} samples of "
                "its sweep before it",
                place.sample, place.sequence, sample));
}

}  // namespace

/// A chunk and a sequence of it. What the chunk's place in the sweep is has been counted on the way
/// there.
struct LinearSequencer::Cursor {
  ChunkIndex chunk{};
  std::int64_t first_sequence = 0;  // of the chunk, in the sweep
  std::int64_t first_sample = 0;
  ChunkCounts counts;                   // without sequences: the cursor is nowhere yet
  std::optional<ChunkSamples> samples;  // asked for when needed
  std::int64_t taken_sequences = 0;     // of the chunk, before the cursor
  std::int64_t taken_samples = 0;

  [[nodiscard]] bool is_at_end() const { return taken_sequences == counts.sequence_count; }
  [[nodiscard]] std::int64_t end_sequence() const { return first_sequence + counts.sequence_count; }
  [[nodiscard]] std::int64_t end_sample() const { return first_sample + counts.sample_count; }
  [[nodiscard]] std::int64_t sequence() const { return first_sequence + taken_sequences; }
  [[nodiscard]] std::int64_t sample() const { return first_sample + taken_samples; }

  /// Go to the beginning of the first chunk from `from` on that has sequences. Stays where it is,
  /// and says false, where there is none.
  bool enter(const Counts& all, ChunkIndex from, std::int64_t sequence, std::int64_t sample) {
    for (ChunkIndex at = from;; at = next(at)) {
      const std::optional<ChunkCounts> found = all.chunk_counts(at);
      if (!found) return false;
      if (found->sequence_count < 0 || found->sample_count < 0) {
        throw InternalError(formatted("counts: chunk {} has {} sequences and {} samples",
                                      number(at), found->sequence_count, found->sample_count));
      }
      if (found->sequence_count == 0) continue;
      *this = {.chunk = at,
               .first_sequence = sequence,
               .first_sample = sample,
               .counts = *found,
               .samples = {},
               .taken_sequences = 0,
               .taken_samples = 0};
      return true;
    }
  }

  bool enter_first(const Counts& all) { return enter(all, ChunkIndex{0}, 0, 0); }
  bool enter_next(const Counts& all) {
    return enter(all, next(chunk), end_sequence(), end_sample());
  }

  const ChunkSamples& sample_counts(const Counts& all) {
    if (!samples) {
      samples.emplace(all.sample_counts(chunk));
      if (const std::int64_t size = samples->counts.size(); size != counts.sequence_count) {
        samples.reset();
        throw InternalError(
            formatted("counts: chunk {} has {} sequences, but samples of {} are counted",
                      number(chunk), counts.sequence_count, size));
      }
    }
    return *samples;
  }

  enum class Found { sequence, sweep_end, nothing };

  /// Go to the sequence that follows a place: from here on, or from the beginning. Nothing: the
  /// data have no sequences.
  Found seek(const Counts& all, const Place& place) {
    const bool is_before = counts.sequence_count > 0 && first_sequence <= place.sequence;
    if (!is_before && !enter_first(all)) {
      if (place.sequence > 0) throw_beyond(place, 0);
      check_sample(place, 0);
      return Found::nothing;
    }
    while (place.sequence >= end_sequence()) {
      if (enter_next(all)) continue;
      if (place.sequence > end_sequence()) throw_beyond(place, end_sequence());
      check_sample(place, end_sample());
      return Found::sweep_end;
    }
    move_to(all, place.sequence - first_sequence);
    check_sample(place, sample());
    return Found::sequence;
  }

  /// Go to a sequence of this chunk.
  void move_to(const Counts& all, std::int64_t sequence_of_chunk) {
    if (sequence_of_chunk < taken_sequences) taken_sequences = taken_samples = 0;
    if (sequence_of_chunk == taken_sequences) return;
    taken_samples += sum(sample_counts(all), taken_sequences, sequence_of_chunk);
    taken_sequences = sequence_of_chunk;
  }

  /// Take those of the next sequences of this chunk that fit into `room` units.
  Run take(const Counts& all, MinibatchUnit unit, std::int64_t room, bool takes_one) {
    const std::int64_t left = counts.sequence_count - taken_sequences;
    Run run;
    if (unit == MinibatchUnit::sequences) {
      run.sequence_count = std::min(left, room);
      if (run.sequence_count == 0) return run;
      run.sample_count =
          sum(sample_counts(all), taken_sequences, taken_sequences + run.sequence_count);
    } else {
      run = run_of_samples(sample_counts(all), taken_sequences, left, room, takes_one);
    }
    taken_sequences += run.sequence_count;
    taken_samples += run.sample_count;
    if (is_at_end() && taken_samples != counts.sample_count) {
      throw InternalError(
          formatted("counts: chunk {} has {} samples, but its sequences have {} together",
                    number(chunk), counts.sample_count, taken_samples));
    }
    return run;
  }
};

LinearSequencer::LinearSequencer(std::shared_ptr<const Counts> counts,
                                 const LinearOrderOptions& options)
    : counts_(std::move(counts)), options_(options), cursor_(std::make_unique<Cursor>()) {
  assert(counts_ != nullptr);
  if (options.minibatch_size < 1) {
    throw ConfigError(
        formatted("minibatch_size must be at least 1: got {}", options.minibatch_size));
  }
  if (options.sweeps < 0) {
    throw ConfigError(
        formatted("sweeps must be at least 0 (0: without end): got {}", options.sweeps));
  }
}

LinearSequencer::~LinearSequencer() = default;

std::string_view LinearSequencer::algorithm() const noexcept { return "file"; }

std::map<std::string, std::string> LinearSequencer::options() const {
  return {{"minibatch_size", formatted("{}", options_.minibatch_size)},
          {"unit", options_.unit == MinibatchUnit::samples ? "samples" : "sequences"},
          {"sweeps", formatted("{}", options_.sweeps)},
          {"cut_at_sweep_end", options_.cut_at_sweep_end ? "true" : "false"}};
}

std::optional<Step> LinearSequencer::step(const Place& from) const {
  check_form(from);
  if (options_.sweeps > 0 && from.sweep >= options_.sweeps) {
    if (from == Place{.sweep = options_.sweeps, .sequence = 0, .sample = 0, .carry = {}}) return {};
    throw ConfigError(
        formatted("position: sweep {}, sequence {}, sample {} lies beyond the last of {} sweeps",
                  from.sweep, from.sequence, from.sample, options_.sweeps));
  }

  Cursor& cursor = *cursor_;  // somewhere in the data, wherever the counts may throw
  switch (cursor.seek(*counts_, from)) {
    case Cursor::Found::nothing:
      return {};
    case Cursor::Found::sweep_end:
      return step({.sweep = from.sweep + 1, .sequence = 0, .sample = 0, .carry = {}});
    case Cursor::Found::sequence:
      break;
  }

  Step result;
  std::int64_t sweep = from.sweep;
  bool is_over = false;
  const auto room = [&] {
    return options_.minibatch_size - (options_.unit == MinibatchUnit::samples
                                          ? result.sample_count
                                          : std::ssize(result.sequences));
  };
  for (;;) {
    const std::int64_t first = cursor.taken_sequences;
    const Run run = cursor.take(*counts_, options_.unit, room(), result.sequences.empty());
    append(result.sequences, cursor.chunk, first, run.sequence_count);
    result.sample_count += run.sample_count;
    if (!cursor.is_at_end()) break;

    result.release.push_back(cursor.chunk);
    if (cursor.enter_next(*counts_)) continue;
    result.ends_sweep = true;
    ++sweep;
    is_over = sweep == options_.sweeps;
    if (!cursor.enter_first(*counts_)) throw InternalError("counts: the chunks are gone");
    if (is_over || options_.cut_at_sweep_end) break;
    if (room() <= 0 || room() == options_.minibatch_size) break;
  }

  // Over the end of a sweep, a chunk can be passed twice, or be passed and be the next one too.
  if (result.ends_sweep) {
    std::sort(result.release.begin(), result.release.end());
    const auto end = std::unique(result.release.begin(), result.release.end());
    result.release.erase(end, result.release.end());
    if (!is_over) std::erase(result.release, cursor.chunk);
  }
  result.ends_epoch = is_over;
  result.next = {
      .sweep = sweep, .sequence = cursor.sequence(), .sample = cursor.sample(), .carry = {}};
  return result;
}

}  // namespace sheaf
