#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "sheaf/error.h"
#include "sheaf/extend/sequencer.h"

#include "base/saturated.h"
#include "base/text.h"
#include "sequencer/cntk_sweep.h"
#include "sequencer/order_parts.h"
#include "sequencer/window_change.h"

// CntkSweep decides the order of a sweep. This file makes minibatches of that order, as CNTK's
// block randomizer does.
//
// A walk stands before an entry of a CntkSweep. A step takes entries as long as they fit. Entries
// of other workers are passed over. They count towards the limit of all workers, but not towards
// the limit of this worker. The first sequence is taken whatever its size, but not behind the end
// of a sweep, so that a minibatch that crosses this end never exceeds its size. A step is empty if
// a sweep ends without a sequence for this worker, and the next sweep begins with a sequence that
// is too long. CNTK does so, and this order promises CNTK's minibatches.
//
// The window of a place has the chunks in the window of the last entry's rank that still have
// sequences to deliver. Near the end of a sweep, the window also has the finished chunks that lie
// in the first window of the next sweep. Between two sweeps, it has these chunks only. So a walk
// never holds more than a window. It keeps the window of its place, and records the change of each
// step.

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

void check_cntk_place(const Place& place) {
  internal::check_form(place);
  if (place.carry.empty()) return;
  throw ConfigError(
      formatted("position: the order \"cntk\" takes no carry: got {} numbers", place.carry.size()));
}

}  // namespace

/// The chunks of the data. All of them must be known, since any chunk may come first in a sweep.
struct RandomSequencer::Chunks {
  std::vector<ChunkCounts> counts;
  std::int64_t sequence_count = 0;  // of a sweep
  std::int64_t sample_count = 0;
};

class RandomSequencer::Walk final : public OrderCursor {
 public:
  Walk(const Counts& counts, const OrderOptions& options)
      : counts_(counts),
        options_(options),
        window_(window_of(options)),
        epochs_(options),
        request_(internal::request_of(options)) {}

  /// Pre: the chunks are the same in every call. The calls below need the chunks.
  void set_chunks(std::shared_ptr<const Chunks> chunks) { all_ = std::move(chunks); }

  [[nodiscard]] std::optional<Step> step(const Place& from, const StepRoom& room);
  [[nodiscard]] std::vector<ChunkRange> window_at(const Place& place);
  [[nodiscard]] const internal::LastChange& last_change() const noexcept { return last_change_; }
  [[nodiscard]] Place place_of(std::int64_t sample);
  [[nodiscard]] std::optional<Step> sequence_at(std::int64_t sweep, std::int64_t number);

 private:
  /// The sweep that sequence_at() reads. The sweep that steps are taken from is another object.
  struct Lookup {
    std::int64_t sweep_number = 0;
    std::int64_t entry = 0;  // the last one asked for
    CntkSweep sweep;
  };

  /// A chunk that entered or left the window during a step.
  struct Touched {
    ChunkIndex chunk{};
    bool was_held = false;  // before the step
  };

  [[nodiscard]] bool check(const Place& place) const;
  [[nodiscard]] Step idle_step(const Place& from) const;
  [[nodiscard]] bool is_idle() const noexcept {
    return options_.worker_index >= std::ssize(all_->counts);
  }
  [[nodiscard]] std::int64_t sequence_count() const noexcept { return all_->sequence_count; }
  [[nodiscard]] std::int64_t sweep_samples() const noexcept { return all_->sample_count; }

  void begin_sweep(std::int64_t number);
  void seek(const Place& place);
  Request take(const Request& room, bool needs_one, const StepRoom& step_room, Step& step);
  [[nodiscard]] bool fills(std::size_t own_before, const Request& taken, const Step& step) const;
  bool move_rank() noexcept;
  void pass(const CntkSweep::Sequence& sequence, std::int64_t samples) noexcept;

  void hold_window_of(const Place& place);
  void hold_what_sweeps_share();
  void enter_window();
  void leave_if_passed(std::int64_t home);
  void leave_all();
  void set_held(ChunkIndex chunk, bool is_held);
  void record_change(const Place& from, Step& step);
  [[nodiscard]] bool is_needed(std::int64_t home);
  [[nodiscard]] bool next_sweep_begins_with(std::int64_t home);
  [[nodiscard]] std::vector<bool> own_first_window(const CntkSweep& sweep) const;

  [[nodiscard]] bool is_own(std::int64_t home) const noexcept {
    return options_.worker_count == 1 || home % options_.worker_count == options_.worker_index;
  }
  [[nodiscard]] std::int64_t sample_count(const CntkSweep::Sequence& sequence) {
    const auto& samples = samples_[static_cast<std::size_t>(sequence.home)];
    return samples ? of_sequence(*samples, sequence) : look_up_samples(sequence);
  }
  [[nodiscard]] std::int64_t look_up_samples(const CntkSweep::Sequence& sequence);
  [[nodiscard]] static std::int64_t of_sequence(const internal::ChunkSamples& samples,
                                                const CntkSweep::Sequence& sequence) noexcept {
    return samples.constant ? *samples.constant : samples.counts[sequence.number];
  }
  [[nodiscard]] std::int64_t cost(const CntkSweep::Sequence& sequence, std::int64_t samples);
  [[nodiscard]] std::uint64_t seed_of(std::int64_t sweep) const noexcept {
    return options_.seed + static_cast<std::uint64_t>(sweep);
  }
  [[nodiscard]] std::int64_t epoch_end() const {
    return epochs_.end_in_sweep(epoch_, sweep_number_, sweep_samples());
  }

  const Counts& counts_;
  const OrderOptions& options_;
  const Window window_;
  const Epochs epochs_;
  const Request request_;

  std::shared_ptr<const Chunks> all_;

  // The place of the walk.
  std::int64_t epoch_ = 0;
  std::int64_t sweep_number_ = 0;
  std::int64_t entry_ = 0;
  std::int64_t sample_ = 0;

  // The current sweep; null before the first one.
  std::unique_ptr<CntkSweep> sweep_;
  std::unique_ptr<CntkSweep> next_sweep_;  // made early to know its first window
  std::vector<bool> begins_next_;          // [chunk]
  std::int64_t entry_rank_ = 0;            // rank of the entry before entry_; 0 if there is none
  std::int64_t window_end_ = 0;            // ranks before it have entered the window
  std::int64_t counted_begin_ = 0;         // the counts of ranks before it were dropped
  std::vector<std::optional<internal::ChunkSamples>> samples_;  // [rank]
  std::vector<std::optional<internal::ChunkSamples>> costs_;  // [rank], if minibatches count costs
  std::vector<std::int64_t> left_;  // [rank]: own sequences not yet delivered
  std::size_t last_size_ = 0;       // number of sequences of the last step

  // The window of held_at_, or of the walk's place during a step.
  std::optional<Place> held_at_;
  std::vector<bool> is_held_;     // [chunk]
  std::vector<Touched> touched_;  // of this step; if a chunk appears twice, the first entry counts
  internal::LastChange last_change_;

  std::optional<Lookup> lookup_;
};

void RandomSequencer::Walk::begin_sweep(std::int64_t number) {
  const bool is_made = next_sweep_ != nullptr && number == sweep_number_ + 1;
  sweep_ = is_made ? std::move(next_sweep_)
                   : std::make_unique<CntkSweep>(all_->counts, window_, seed_of(number));
  next_sweep_.reset();
  sweep_number_ = number;
  entry_ = sample_ = entry_rank_ = window_end_ = counted_begin_ = 0;
  const std::vector<ChunkCounts>& chunks = all_->counts;
  samples_.assign(chunks.size(), std::nullopt);
  costs_.assign(options_.unit == MinibatchUnit::cost ? chunks.size() : 0, std::nullopt);
  left_.assign(chunks.size(), 0);
  for (std::int64_t rank = options_.worker_index; rank < std::ssize(chunks);
       rank += options_.worker_count) {
    left_[static_cast<std::size_t>(rank)] =
        chunks[static_cast<std::size_t>(sweep_->chunk(rank))].sequence_count;
  }
}

void RandomSequencer::Walk::seek(const Place& place) {
  if (place.sequence > sequence_count()) internal::throw_beyond(place, sequence_count());
  epoch_ = place.epoch;
  const bool is_here =
      sweep_ != nullptr && sweep_number_ == place.sweep && entry_ <= place.sequence;
  if (!is_here) begin_sweep(place.sweep);
  while (entry_ < place.sequence) {
    const CntkSweep::Sequence sequence = sweep_->at(entry_);
    const std::int64_t samples = sample_count(sequence);
    move_rank();
    pass(sequence, samples);
  }
  internal::check_sample(place, sample_);
  if (entry_ == sequence_count()) begin_sweep(place.sweep + 1);
}

// Returns whether a step begins at a place: the run has data, and is not over.
bool RandomSequencer::Walk::check(const Place& place) const {
  if (sequence_count() == 0) {
    if (place.sequence > 0) internal::throw_beyond(place, 0);
    internal::check_sample(place, 0);
    return false;
  }
  epochs_.check(place, sweep_samples());
  return !epochs_.is_over(place.epoch);
}

std::optional<Step> RandomSequencer::Walk::step(const Place& from, const StepRoom& room) {
  if (!check(from)) return {};
  if (is_idle()) {
    const bool has_end = options_.epoch_size || options_.sweeps;
    return has_end ? std::optional(idle_step(from)) : std::nullopt;
  }
  seek(from);
  hold_window_of(from);
  held_at_.reset();  // empty until the step is complete
  touched_.clear();

  Step step;
  step.sweep = sweep_number_;
  step.sequences.reserve(last_size_);  // probably as many sequences again
  Request taken;
  for (;;) {
    const bool goes_on = step.ends_sweep;
    const std::size_t own_before = step.sequences.size();
    const Request more =
        take({request_.all - taken.all, request_.own - taken.own}, !goes_on, room, step);
    taken.all = internal::saturated_sum(taken.all, more.all);
    taken.own += more.own;
    // The last condition keeps data without samples from making an endless step.
    const bool crosses = step.ends_sweep && !step.ends_epoch &&
                         options_.sweep_ends == SweepEnds::cross && taken.all < request_.all &&
                         taken.own < request_.own && more.all > 0 && fills(own_before, more, step);
    if (!crosses) break;
  }
  step.next = {.epoch = step.ends_epoch ? epoch_ + 1 : epoch_,
               .sweep = sweep_number_,
               .sequence = entry_,
               .sample = sample_,
               .carry = {}};
  last_size_ = step.sequences.size();
  record_change(from, step);
  return step;
}

// Returns whether the sequences taken from a sweep help to fill the minibatch. All sequences of a
// worker may cost 0. Without this check, such a worker would cross sweeps without end.
bool RandomSequencer::Walk::fills(std::size_t own_before, const Request& taken,
                                  const Step& step) const {
  return options_.unit != MinibatchUnit::cost || taken.own > 0 ||
         step.sequences.size() == own_before;
}

// A worker without a chunk ends every epoch at once.
Step RandomSequencer::Walk::idle_step(const Place& from) const {
  Step step;
  step.ends_epoch = true;
  step.next.epoch = from.epoch + 1;
  if (options_.epoch_size) {
    const std::int64_t end = internal::saturated_product(*options_.epoch_size, from.epoch + 1);
    step.next.sweep = sweep_samples() > 0 ? end / sweep_samples() : 0;
    step.next.sample = sweep_samples() > 0 ? end % sweep_samples() : 0;
  } else {
    step.next.sweep = internal::saturated_product(*options_.sweeps, from.epoch + 1);
  }
  return step;
}

// Takes entries of this sweep. At the end of the sweep, the walk stands before the next one.
Request RandomSequencer::Walk::take(const Request& room, bool needs_one, const StepRoom& step_room,
                                    Step& step) {
  Request taken;
  const std::int64_t end = epoch_end();
  if (sample_ >= end) {
    step.ends_epoch = true;
    step.ends_sweep |= sweep_number_ > 0 && entry_ == 0;
    return taken;
  }
  const std::size_t first = step.sequences.size();
  std::int64_t own_left = step_room.left(std::ssize(step.sequences));
  while (entry_ < sequence_count()) {
    const CntkSweep::Sequence sequence = sweep_->at(entry_);
    const std::int64_t samples = sample_count(sequence);
    const std::int64_t cost = this->cost(sequence, samples);
    const bool own = is_own(sequence.home);
    if (!needs_one) {
      if (cost > room.all - taken.all || (own && cost > room.own - taken.own)) break;
    }
    if (sample_ >= end) break;
    if (own) {
      if (own_left-- <= 0) step_room.check(std::ssize(step.sequences) + 1);
      step.sequences.push_back({sweep_->chunk(sequence.home), sequence.number});
      step.sample_count += samples;
      taken.own += cost;
      needs_one = false;
    }
    taken.all = internal::saturated_sum(taken.all, cost);
    if (move_rank() || entry_ == 0) enter_window();
    pass(sequence, samples);
    if (own && left_[static_cast<std::size_t>(sequence.home)] == 0) leave_if_passed(sequence.home);
  }
  internal::name_sweep(step, first, sweep_number_);
  if (entry_ == sequence_count()) {
    if (sample_ != sweep_samples()) {
      throw InternalError(
          formatted("counts: the chunks have {} samples, but their sequences have "
                    "{} together",
                    sweep_samples(), sample_));
    }
    step.ends_sweep = true;
    begin_sweep(sweep_number_ + 1);
  }
  step.ends_epoch |= sample_ >= epoch_end();
  return taken;
}

// Goes to the rank of the entry. Returns whether the rank changed.
bool RandomSequencer::Walk::move_rank() noexcept {
  const std::int64_t before = entry_rank_;
  while (entry_ >= sweep_->first_entry(entry_rank_ + 1)) ++entry_rank_;
  return entry_rank_ != before;
}

// Passes over an entry.
//
// Pre: the walk stands at the rank of the entry.
void RandomSequencer::Walk::pass(const CntkSweep::Sequence& sequence,
                                 std::int64_t samples) noexcept {
  sample_ += samples;
  ++entry_;
  if (is_own(sequence.home)) --left_[static_cast<std::size_t>(sequence.home)];
}

// Holds the window of the walk's place. `place` is this place.
void RandomSequencer::Walk::hold_window_of(const Place& place) {
  if (held_at_ == place) return;
  held_at_.reset();
  is_held_.assign(all_->counts.size(), false);
  if (entry_ == 0) {
    window_end_ = 0;
    if (sweep_number_ > 0) hold_what_sweeps_share();
  } else {
    window_end_ = sweep_->window_end(entry_rank_);
    for (std::int64_t rank = sweep_->window_begin(entry_rank_); rank < window_end_; ++rank) {
      if (is_needed(rank)) is_held_[static_cast<std::size_t>(sweep_->chunk(rank))] = true;
    }
  }
  held_at_ = place;
}

// Holds the chunks that are both in the last window of the previous sweep and in the first window
// of this one.
void RandomSequencer::Walk::hold_what_sweeps_share() {
  const CntkSweep before(all_->counts, window_, seed_of(sweep_number_ - 1));
  const std::vector<bool> begins = own_first_window(*sweep_);
  const std::int64_t end = before.chunk_count();
  for (std::int64_t rank = before.window_begin(end - 1); rank < end; ++rank) {
    const auto chunk = static_cast<std::size_t>(before.chunk(rank));
    if (is_own(rank) && begins[chunk]) is_held_[chunk] = true;
  }
}

void RandomSequencer::Walk::enter_window() {
  const std::int64_t end = sweep_->window_end(entry_rank_);
  for (; window_end_ < end; ++window_end_) {
    if (left_[static_cast<std::size_t>(window_end_)] > 0)
      set_held(sweep_->chunk(window_end_), true);
  }
}

void RandomSequencer::Walk::leave_if_passed(std::int64_t home) {
  if (is_own(home) && !is_needed(home)) set_held(sweep_->chunk(home), false);
}

// Releases all chunks at the end of the run.
void RandomSequencer::Walk::leave_all() {
  for (std::size_t chunk = 0; chunk < is_held_.size(); ++chunk) {
    if (is_held_[chunk]) set_held(ChunkIndex{static_cast<std::int64_t>(chunk)}, false);
  }
}

void RandomSequencer::Walk::set_held(ChunkIndex chunk, bool is_held) {
  const auto index = static_cast<std::size_t>(chunk);
  if (is_held_[index] == is_held) return;
  touched_.push_back({chunk, is_held_[index]});
  is_held_[index] = is_held;
}

// Records the changes of the step. A chunk that entered and left within the step is passed.
void RandomSequencer::Walk::record_change(const Place& from, Step& step) {
  if (epochs_.is_over(step.next.epoch)) leave_all();
  WindowChange change;
  std::ranges::stable_sort(touched_, {}, &Touched::chunk);
  for (std::size_t i = 0; i < touched_.size(); ++i) {
    const Touched& touched = touched_[i];
    if (i > 0 && touched_[i - 1].chunk == touched.chunk) continue;
    const bool is_held = is_held_[static_cast<std::size_t>(touched.chunk)];
    std::vector<ChunkRange>& ranges = is_held            ? change.load
                                      : touched.was_held ? change.release
                                                         : step.passed;
    if (!is_held || !touched.was_held) ranges.push_back({touched.chunk});
  }
  last_change_ = {.from = from, .to = step.next, .change = std::move(change)};
  held_at_ = step.next;
}

// Returns whether a chunk in the window still has sequences to deliver, in this sweep or in the
// first window of the next one.
bool RandomSequencer::Walk::is_needed(std::int64_t home) {
  if (left_[static_cast<std::size_t>(home)] > 0) return true;
  const bool is_in_last_window = home >= sweep_->window_begin(sweep_->chunk_count() - 1);
  return is_in_last_window && is_own(home) && next_sweep_begins_with(home);
}

std::vector<ChunkRange> RandomSequencer::Walk::window_at(const Place& place) {
  std::vector<ChunkRange> window;
  if (!check(place) || is_idle()) return window;
  seek(place);
  hold_window_of(place);
  for (std::size_t chunk = 0; chunk < is_held_.size(); ++chunk) {
    if (is_held_[chunk]) window.push_back({ChunkIndex{static_cast<std::int64_t>(chunk)}});
  }
  return window;
}

bool RandomSequencer::Walk::next_sweep_begins_with(std::int64_t home) {
  const bool is_last =
      options_.epochs &&
      epochs_.end_in_sweep(*options_.epochs - 1, sweep_number_ + 1, sweep_samples()) == 0;
  if (is_last) return false;
  if (!next_sweep_) {
    const std::vector<ChunkCounts>& chunks = all_->counts;
    next_sweep_ = std::make_unique<CntkSweep>(chunks, window_, seed_of(sweep_number_ + 1));
    begins_next_ = own_first_window(*next_sweep_);
  }
  return begins_next_[static_cast<std::size_t>(sweep_->chunk(home))];
}

// Returns, for each chunk, whether it lies in the first window of a sweep, belongs to this worker,
// and has sequences.
std::vector<bool> RandomSequencer::Walk::own_first_window(const CntkSweep& sweep) const {
  std::vector<bool> is_there(all_->counts.size(), false);
  for (std::int64_t rank = 0; rank < sweep.window_end(0); ++rank) {
    const auto chunk = static_cast<std::size_t>(sweep.chunk(rank));
    is_there[chunk] = is_own(rank) && all_->counts[chunk].sequence_count > 0;
  }
  return is_there;
}

// Returns the samples of a sequence. Drops the counts of chunks that have left the window.
std::int64_t RandomSequencer::Walk::look_up_samples(const CntkSweep::Sequence& sequence) {
  std::optional<internal::ChunkSamples>& samples =
      samples_[static_cast<std::size_t>(sequence.home)];
  const ChunkIndex chunk = sweep_->chunk(sequence.home);
  samples = internal::chunk_samples(counts_, chunk,
                                    all_->counts[static_cast<std::size_t>(chunk)].sequence_count);
  for (; counted_begin_ < sweep_->window_begin(entry_rank_); ++counted_begin_) {
    samples_[static_cast<std::size_t>(counted_begin_)].reset();
    if (!costs_.empty()) costs_[static_cast<std::size_t>(counted_begin_)].reset();
  }
  return of_sequence(*samples, sequence);
}

// Returns how much a sequence counts towards minibatch_size.
std::int64_t RandomSequencer::Walk::cost(const CntkSweep::Sequence& sequence,
                                         std::int64_t samples) {
  if (options_.unit == MinibatchUnit::samples) return samples;
  if (options_.unit == MinibatchUnit::sequences) return 1;
  std::optional<internal::ChunkSamples>& costs = costs_[static_cast<std::size_t>(sequence.home)];
  if (!costs) {
    const ChunkIndex chunk = sweep_->chunk(sequence.home);
    costs = internal::chunk_costs(counts_, chunk,
                                  all_->counts[static_cast<std::size_t>(chunk)].sequence_count);
  }
  return of_sequence(*costs, sequence);
}

Place RandomSequencer::Walk::place_of(std::int64_t sample) {
  if (sweep_samples() == 0) {
    if (sample == 0) return {};
    throw ConfigError("position: the data have no samples");
  }
  begin_sweep(sample / sweep_samples());
  const std::int64_t wanted = sample % sweep_samples();
  while (sample_ < wanted) {
    const CntkSweep::Sequence sequence = sweep_->at(entry_);
    const std::int64_t samples = sample_count(sequence);
    move_rank();
    pass(sequence, samples);
  }
  if (entry_ == sequence_count()) begin_sweep(sweep_number_ + 1);
  Place place{.epoch = epochs_.epoch_of(sweep_number_, sample_, sweep_samples()),
              .sweep = sweep_number_,
              .sequence = entry_,
              .sample = sample_,
              .carry = {}};
  epochs_.check_begins(place);
  return place;
}

// A sweep gives its entries only in ascending order.
std::optional<Step> RandomSequencer::Walk::sequence_at(std::int64_t sweep, std::int64_t number) {
  if (sweep < 0 || number < 0 || number >= sequence_count()) return {};
  const std::vector<ChunkCounts>& chunks = all_->counts;
  const bool is_ahead = lookup_ && lookup_->sweep_number == sweep && lookup_->entry <= number;
  if (!is_ahead) lookup_.emplace(Lookup{sweep, number, {chunks, window_, seed_of(sweep)}});
  const CntkSweep::Sequence sequence = lookup_->sweep.at(number);
  lookup_->entry = number;
  const ChunkIndex chunk = lookup_->sweep.chunk(sequence.home);
  Step step = internal::single_step(counts_, {chunk, sequence.number},
                                    chunks[static_cast<std::size_t>(chunk)].sequence_count);
  step.sweep = sweep;
  return step;
}

RandomSequencer::RandomSequencer(std::shared_ptr<const Counts> counts, const OrderOptions& options)
    : counts_(std::move(counts)), options_(options) {
  assert(counts_ != nullptr);
  internal::check_order(options_);
  internal::check_unit(*counts_, options_);
  static_cast<void>(window_of(options_));
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

std::shared_ptr<const RandomSequencer::Chunks> RandomSequencer::chunks() const {
  const std::scoped_lock lock(mutex_);
  if (chunks_) return chunks_;
  auto found = std::make_shared<Chunks>();
  for (ChunkIndex chunk{0};; chunk = next(chunk)) {
    const std::optional<ChunkCounts> counts = counts_->chunk_counts(chunk);
    if (!counts) break;
    found->counts.push_back(*counts);
    found->sequence_count += counts->sequence_count;
    found->sample_count += counts->sample_count;
  }
  return chunks_ = std::move(found);
}

// Counts one sweep in full, and the tables of chunks of a second sweep. A second full sweep exists
// only if sequence_at() is used. All sweeps have about equally large windows, so sweep 0 stands for
// the others.
std::int64_t RandomSequencer::memory_bytes() const {
  const std::shared_ptr<const Chunks> all = chunks();
  if (all->sequence_count == 0) return 0;
  constexpr std::int64_t kBytesPerChunk =
      sizeof(ChunkCounts) + 2 * sizeof(internal::ChunkSamples) + sizeof(std::int64_t);
  const std::int64_t chunk_count = std::ssize(all->counts);
  const CntkSweep sweep(all->counts, window_of(options_), options_.seed);
  return 2 * chunk_count * kBytesPerChunk + sweep.memory_bytes_max();
}

std::unique_ptr<OrderCursor> RandomSequencer::make_cursor() const {
  return std::make_unique<Walk>(*counts_, options_);
}

std::optional<Step> RandomSequencer::step(const Place& from, OrderCursor& cursor,
                                          const StepRoom& room) const {
  check_cntk_place(from);
  auto& walk = internal::cursor_as<Walk>(cursor);
  walk.set_chunks(chunks());
  return walk.step(from, room);
}

WindowChange RandomSequencer::window_change(const std::optional<Place>& from, const Place& to,
                                            OrderCursor& cursor) const {
  auto& walk = internal::cursor_as<Walk>(cursor);
  if (walk.last_change().is_between(from, to)) return walk.last_change().change;
  std::vector<ChunkRange> before;
  if (from) {
    check_cntk_place(*from);
    Walk other(*counts_, options_);
    other.set_chunks(chunks());
    before = other.window_at(*from);
  }
  check_cntk_place(to);
  walk.set_chunks(chunks());
  return internal::change_between(std::move(before), walk.window_at(to));
}

Place RandomSequencer::place_of(std::int64_t sample) const {
  Walk walk(*counts_, options_);
  walk.set_chunks(chunks());
  return walk.place_of(sample);
}

std::optional<Step> RandomSequencer::sequence_at(std::int64_t sweep, std::int64_t number,
                                                 OrderCursor& cursor) const {
  auto& walk = internal::cursor_as<Walk>(cursor);
  walk.set_chunks(chunks());
  return walk.sequence_at(sweep, number);
}

}  // namespace sheaf
