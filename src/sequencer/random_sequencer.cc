#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/sequencer.h"

#include "base/saturated.h"
#include "base/text.h"
#include "sequencer/cntk_sweep.h"
#include "sequencer/order_parts.h"
#include "sequencer/step_room.h"

// The order of a sweep is CntkSweep's; here is what CNTK's block randomizer makes minibatches of
// it.
//
// A walk stands before a slot of a sweep. A step takes slots as long as they fit. Those of other
// workers are passed over: they count for what all workers may take, not for what this one may. The
// first sequence is taken whatever its size, but not behind the end of a sweep, so that a minibatch
// that goes on there never exceeds its size. Where a sweep ends without a sequence for this worker,
// and the next one begins with one that is too long, a step is empty: CNTK does so, and this order
// promises CNTK's minibatches.
//
// A chunk is needed from when the window first reaches it until its last sequence is delivered; and
// on into the next sweep, if it lies in the last window of this one and in the first of the next.
// Therefore never more than a window is held.

namespace sheaf {
namespace {

using internal::CntkSweep;
using internal::Epochs;
using internal::Request;
using internal::Window;

Window window_of(const OrderOptions& options) {
  internal::check_window(options, "cntk");
  if (options.window_chunks) return {Window::Unit::chunks, *options.window_chunks};
  return {Window::Unit::samples, *options.window_samples};
}

}  // namespace

class RandomSequencer::Walk {
 public:
  Walk(const Counts& counts, const OrderOptions& options)
      : counts_(counts),
        options_(options),
        window_(window_of(options)),
        epochs_(options),
        request_(internal::request_of(options)) {}

  [[nodiscard]] std::optional<Step> step(const Place& from);
  [[nodiscard]] Place place_of(std::int64_t sample);
  [[nodiscard]] std::optional<Step> sequence_at(std::int64_t sweep, std::int64_t number);
  [[nodiscard]] std::int64_t memory_bytes();

 private:
  /// A sweep that sequence_at() looks into: not the one that steps are taken from.
  struct Lookup {
    std::int64_t sweep_number = 0;
    std::int64_t slot = 0;  // the last one that was asked for
    CntkSweep sweep;
  };

  void learn_chunks();
  [[nodiscard]] Step idle_step(const Place& from) const;
  [[nodiscard]] bool is_idle() const noexcept {
    return options_.worker_index >= std::ssize(chunks_);
  }

  void begin_sweep(std::int64_t number);
  void seek(const Place& place);
  Request take(const Request& room, bool needs_one, Step& step);
  [[nodiscard]] bool fills(std::size_t own_before, const Request& taken, const Step& step) const;
  void pass(const CntkSweep::Sequence& sequence, std::int64_t samples, Step* step);
  void load_window(Step& step);
  void release_if_passed(std::int64_t home, Step& step);
  [[nodiscard]] bool next_sweep_begins_with(std::int64_t home);

  [[nodiscard]] bool is_own(std::int64_t home) const noexcept {
    return options_.worker_count == 1 || home % options_.worker_count == options_.worker_index;
  }
  [[nodiscard]] std::int64_t sample_count(const CntkSweep::Sequence& sequence);
  [[nodiscard]] std::int64_t cost(const CntkSweep::Sequence& sequence, std::int64_t samples);
  [[nodiscard]] std::uint64_t seed_of(std::int64_t sweep) const noexcept {
    return options_.seed + static_cast<std::uint64_t>(sweep);
  }
  [[nodiscard]] std::int64_t epoch_end() const {
    return epochs_.end_in_sweep(epoch_, sweep_number_, sample_count_);
  }

  const Counts& counts_;
  const OrderOptions& options_;
  const Window window_;
  const Epochs epochs_;
  const Request request_;

  bool knows_chunks_ = false;
  std::vector<ChunkCounts> chunks_;
  std::int64_t sequence_count_ = 0;  // of a sweep
  std::int64_t sample_count_ = 0;

  // The place.
  std::int64_t epoch_ = 0;
  std::int64_t sweep_number_ = 0;
  std::int64_t slot_ = 0;
  std::int64_t sample_ = 0;

  // Of the sweep, once it is begun.
  std::unique_ptr<CntkSweep> sweep_;
  std::unique_ptr<CntkSweep> next_sweep_;  // made early to see how it begins
  std::vector<bool> begins_next_;          // [chunk]
  std::int64_t slot_rank_ = 0;             // of slot_
  std::int64_t window_end_ = 0;            // ranks before it were loaded
  std::int64_t counted_begin_ = 0;         // ranks before it have no counts any more
  std::vector<std::optional<internal::ChunkSamples>> samples_;  // [rank]
  std::vector<std::optional<internal::ChunkSamples>> costs_;    // [rank], where they are counted
  std::vector<std::int64_t> left_;                              // [rank]: own, not yet delivered

  std::optional<Lookup> lookup_;
};

// The chunks must be known to the last one, since the first place of a sweep may be any's.
void RandomSequencer::Walk::learn_chunks() {
  if (knows_chunks_) return;
  chunks_.clear();
  sequence_count_ = sample_count_ = 0;
  for (ChunkIndex chunk{0};; chunk = next(chunk)) {
    const std::optional<ChunkCounts> found = counts_.chunk_counts(chunk);
    if (!found) break;
    chunks_.push_back(*found);
    sequence_count_ += found->sequence_count;
    sample_count_ += found->sample_count;
  }
  knows_chunks_ = true;
}

// Of the sweep of the last place; of another one there are chunks alone, unless sequence_at() is
// asked. Other sweeps have other windows, but hardly larger ones.
std::int64_t RandomSequencer::Walk::memory_bytes() {
  learn_chunks();
  if (sequence_count_ == 0) return 0;
  constexpr std::int64_t kBytesPerChunk =
      sizeof(ChunkCounts) + 2 * sizeof(internal::ChunkSamples) + sizeof(std::int64_t);
  const std::int64_t chunk_count = std::ssize(chunks_);
  const CntkSweep sweep(chunks_, window_, seed_of(0));
  return 2 * chunk_count * kBytesPerChunk + sweep.memory_bytes_max();
}

void RandomSequencer::Walk::begin_sweep(std::int64_t number) {
  const bool is_made = next_sweep_ != nullptr && number == sweep_number_ + 1;
  sweep_ = is_made ? std::move(next_sweep_)
                   : std::make_unique<CntkSweep>(chunks_, window_, seed_of(number));
  next_sweep_.reset();
  sweep_number_ = number;
  slot_ = sample_ = slot_rank_ = window_end_ = counted_begin_ = 0;
  samples_.assign(chunks_.size(), std::nullopt);
  costs_.assign(options_.unit == MinibatchUnit::cost ? chunks_.size() : 0, std::nullopt);
  left_.assign(chunks_.size(), 0);
  for (std::int64_t rank = options_.worker_index; rank < std::ssize(chunks_);
       rank += options_.worker_count) {
    left_[static_cast<std::size_t>(rank)] =
        chunks_[static_cast<std::size_t>(sweep_->chunk(rank))].sequence_count;
  }
}

void RandomSequencer::Walk::seek(const Place& place) {
  if (place.sequence > sequence_count_) internal::throw_beyond(place, sequence_count_);
  epoch_ = place.epoch;
  const bool is_here = sweep_ != nullptr && sweep_number_ == place.sweep && slot_ <= place.sequence;
  if (!is_here) begin_sweep(place.sweep);
  while (slot_ < place.sequence) {
    const CntkSweep::Sequence sequence = sweep_->at(slot_);
    pass(sequence, sample_count(sequence), nullptr);
  }
  internal::check_sample(place, sample_);
  if (slot_ == sequence_count_) begin_sweep(place.sweep + 1);
}

std::optional<Step> RandomSequencer::Walk::step(const Place& from) {
  learn_chunks();
  if (sequence_count_ == 0) {
    if (from.sequence > 0) internal::throw_beyond(from, 0);
    internal::check_sample(from, 0);
    return {};
  }
  epochs_.check(from, sample_count_);
  if (epochs_.is_over(from.epoch)) return {};
  if (is_idle()) {
    const bool has_end = options_.epoch_size || options_.sweeps;
    return has_end ? std::optional(idle_step(from)) : std::nullopt;
  }
  seek(from);

  Step step;
  Request taken;
  for (;;) {
    const bool goes_on = step.ends_sweep;
    const std::size_t own_before = step.sequences.size();
    const Request more = take({request_.all - taken.all, request_.own - taken.own}, !goes_on, step);
    taken.all = internal::saturated_sum(taken.all, more.all);
    taken.own += more.own;
    // Without the last of these, data without samples would make a step that never ends.
    const bool crosses = step.ends_sweep && !step.ends_epoch &&
                         options_.sweep_ends == SweepEnds::cross && taken.all < request_.all &&
                         taken.own < request_.own && more.all > 0 && fills(own_before, more, step);
    if (!crosses) break;
  }
  step.next = {.epoch = step.ends_epoch ? epoch_ + 1 : epoch_,
               .sweep = sweep_number_,
               .sequence = slot_,
               .sample = sample_,
               .carry = {}};
  return step;
}

// Returns whether the sequences taken from a sweep help to fill the minibatch. All sequences of a
// worker may cost 0. Without this check, such a worker would cross sweeps without end.
bool RandomSequencer::Walk::fills(std::size_t own_before, const Request& taken,
                                  const Step& step) const {
  return options_.unit != MinibatchUnit::cost || taken.own > 0 ||
         step.sequences.size() == own_before;
}

// A worker without a chunk is through with an epoch at once.
Step RandomSequencer::Walk::idle_step(const Place& from) const {
  Step step;
  step.ends_epoch = true;
  step.next.epoch = from.epoch + 1;
  if (options_.epoch_size) {
    const std::int64_t end = internal::saturated_product(*options_.epoch_size, from.epoch + 1);
    step.next.sweep = sample_count_ > 0 ? end / sample_count_ : 0;
    step.next.sample = sample_count_ > 0 ? end % sample_count_ : 0;
  } else {
    step.next.sweep = internal::saturated_product(*options_.sweeps, from.epoch + 1);
  }
  return step;
}

// Take slots of this sweep; where it ends, stand before the next one.
Request RandomSequencer::Walk::take(const Request& room, bool needs_one, Step& step) {
  Request taken;
  const std::int64_t end = epoch_end();
  if (sample_ >= end) {
    step.ends_epoch = true;
    step.ends_sweep |= sweep_number_ > 0 && slot_ == 0;
    return taken;
  }
  while (slot_ < sequence_count_) {
    const CntkSweep::Sequence sequence = sweep_->at(slot_);
    const std::int64_t samples = sample_count(sequence);
    const std::int64_t cost = this->cost(sequence, samples);
    const bool own = is_own(sequence.home);
    if (!needs_one) {
      if (cost > room.all - taken.all || (own && cost > room.own - taken.own)) break;
    }
    if (sample_ >= end) break;
    if (own) {
      internal::check_step_room(std::ssize(step.sequences) + 1);
      step.sequences.push_back({sweep_->chunk(sequence.home), sequence.number});
      step.sample_count += samples;
      taken.own += cost;
      needs_one = false;
    }
    taken.all = internal::saturated_sum(taken.all, cost);
    pass(sequence, samples, &step);
  }
  if (slot_ == sequence_count_) {
    if (sample_ != sample_count_) {
      throw InternalError(
          formatted("counts: the chunks have {} samples, but their sequences have "
                    "{} together",
                    sample_count_, sample_));
    }
    step.ends_sweep = true;
    begin_sweep(sweep_number_ + 1);
  }
  step.ends_epoch |= sample_ >= epoch_end();
  return taken;
}

// Leave a slot behind.
void RandomSequencer::Walk::pass(const CntkSweep::Sequence& sequence, std::int64_t samples,
                                 Step* step) {
  while (slot_ >= sweep_->first_slot(slot_rank_ + 1)) ++slot_rank_;
  if (step != nullptr) load_window(*step);
  sample_ += samples;
  ++slot_;
  if (!is_own(sequence.home)) return;
  --left_[static_cast<std::size_t>(sequence.home)];
  if (step != nullptr) release_if_passed(sequence.home, *step);
}

void RandomSequencer::Walk::load_window(Step& step) {
  const std::int64_t end = sweep_->window_end(slot_rank_);
  for (; window_end_ < end; ++window_end_) {
    if (left_[static_cast<std::size_t>(window_end_)] == 0) continue;
    const ChunkRange chunk{sweep_->chunk(window_end_)};
    if (step.ends_sweep) std::erase(step.release, chunk);  // of the sweep before
    step.load.push_back(chunk);
  }
}

void RandomSequencer::Walk::release_if_passed(std::int64_t home, Step& step) {
  if (left_[static_cast<std::size_t>(home)] > 0) return;
  const bool is_in_last_window = home >= sweep_->window_begin(sweep_->chunk_count() - 1);
  if (is_in_last_window && next_sweep_begins_with(home)) return;
  const ChunkRange chunk{sweep_->chunk(home)};
  std::erase(step.load, chunk);  // loaded and passed within one step
  step.release.push_back(chunk);
}

bool RandomSequencer::Walk::next_sweep_begins_with(std::int64_t home) {
  const bool is_last =
      options_.epochs &&
      epochs_.end_in_sweep(*options_.epochs - 1, sweep_number_ + 1, sample_count_) == 0;
  if (is_last) return false;
  if (!next_sweep_) {
    next_sweep_ = std::make_unique<CntkSweep>(chunks_, window_, seed_of(sweep_number_ + 1));
    begins_next_.assign(chunks_.size(), false);
    for (std::int64_t rank = 0; rank < next_sweep_->window_end(0); ++rank) {
      if (is_own(rank)) begins_next_[static_cast<std::size_t>(next_sweep_->chunk(rank))] = true;
    }
  }
  return begins_next_[static_cast<std::size_t>(sweep_->chunk(home))];
}

std::int64_t RandomSequencer::Walk::sample_count(const CntkSweep::Sequence& sequence) {
  std::optional<internal::ChunkSamples>& samples =
      samples_[static_cast<std::size_t>(sequence.home)];
  if (!samples) {
    const ChunkIndex chunk = sweep_->chunk(sequence.home);
    samples = internal::chunk_samples(counts_, chunk,
                                      chunks_[static_cast<std::size_t>(chunk)].sequence_count);
    // What the window has left behind is not asked for again.
    for (; counted_begin_ < sweep_->window_begin(slot_rank_); ++counted_begin_) {
      samples_[static_cast<std::size_t>(counted_begin_)].reset();
      if (!costs_.empty()) costs_[static_cast<std::size_t>(counted_begin_)].reset();
    }
  }
  return samples->constant ? *samples->constant : samples->counts[sequence.number];
}

// What a sequence counts for in minibatch_size.
std::int64_t RandomSequencer::Walk::cost(const CntkSweep::Sequence& sequence,
                                         std::int64_t samples) {
  if (options_.unit == MinibatchUnit::samples) return samples;
  if (options_.unit == MinibatchUnit::sequences) return 1;
  std::optional<internal::ChunkSamples>& costs = costs_[static_cast<std::size_t>(sequence.home)];
  if (!costs) {
    const ChunkIndex chunk = sweep_->chunk(sequence.home);
    costs = internal::chunk_costs(counts_, chunk,
                                  chunks_[static_cast<std::size_t>(chunk)].sequence_count);
  }
  return costs->constant ? *costs->constant : costs->counts[sequence.number];
}

Place RandomSequencer::Walk::place_of(std::int64_t sample) {
  learn_chunks();
  if (sample_count_ == 0) {
    if (sample == 0) return {};
    throw ConfigError("position: the data have no samples");
  }
  begin_sweep(sample / sample_count_);
  const std::int64_t wanted = sample % sample_count_;
  while (sample_ < wanted) {
    const CntkSweep::Sequence sequence = sweep_->at(slot_);
    pass(sequence, sample_count(sequence), nullptr);
  }
  if (slot_ == sequence_count_) begin_sweep(sweep_number_ + 1);
  Place place{.epoch = epochs_.epoch_of(sweep_number_, sample_, sample_count_),
              .sweep = sweep_number_,
              .sequence = slot_,
              .sample = sample_,
              .carry = {}};
  epochs_.check_begins(place);
  return place;
}

// A sweep tells its slots in their order only.
std::optional<Step> RandomSequencer::Walk::sequence_at(std::int64_t sweep, std::int64_t number) {
  learn_chunks();
  if (sweep < 0 || number < 0 || number >= sequence_count_) return {};
  const bool is_ahead = lookup_ && lookup_->sweep_number == sweep && lookup_->slot <= number;
  if (!is_ahead) lookup_.emplace(Lookup{sweep, number, {chunks_, window_, seed_of(sweep)}});
  const CntkSweep::Sequence sequence = lookup_->sweep.at(number);
  lookup_->slot = number;
  const ChunkIndex chunk = lookup_->sweep.chunk(sequence.home);
  return internal::single_step(counts_, {chunk, sequence.number},
                               chunks_[static_cast<std::size_t>(chunk)].sequence_count);
}

RandomSequencer::RandomSequencer(std::shared_ptr<const Counts> counts, const OrderOptions& options)
    : counts_(std::move(counts)), options_(options) {
  assert(counts_ != nullptr);
  internal::check_order(options_);
  internal::check_unit(*counts_, options_);
  walk_ = std::make_unique<Walk>(*counts_, options_);
}

RandomSequencer::~RandomSequencer() = default;

std::string_view RandomSequencer::algorithm() const noexcept { return "cntk"; }

std::map<std::string, std::string> RandomSequencer::options() const {
  std::map<std::string, std::string> texts = internal::order_option_texts(options_);
  texts["seed"] = formatted("{}", options_.seed);
  texts.insert(internal::window_option_text(options_));
  return texts;
}

std::int64_t RandomSequencer::window_chunks() const noexcept {
  return internal::window_chunks_of(options_);
}

std::int64_t RandomSequencer::memory_bytes() const { return walk_->memory_bytes(); }

std::optional<Step> RandomSequencer::step(const Place& from) const {
  internal::check_form(from);
  if (!from.carry.empty()) {
    throw ConfigError(formatted("position: the order \"cntk\" takes no carry: got {} numbers",
                                from.carry.size()));
  }
  return walk_->step(from);
}

Place RandomSequencer::place_of(std::int64_t sample) const { return walk_->place_of(sample); }

std::optional<Step> RandomSequencer::sequence_at(std::int64_t sweep, std::int64_t number) const {
  return walk_->sequence_at(sweep, number);
}

}  // namespace sheaf
