#include "sequencer/mixture/mixed_walk.h"

#include <algorithm>
#include <cstddef>

#include "sheaf/error.h"

#include "base/permutation.h"
#include "base/saturated.h"
#include "base/text.h"
#include "sequencer/exact_sizes.h"

// A step takes draws one after the other, as many as fit a minibatch, and at least one. A place has
// the number of the draw within the sweep. If epochs count samples, it carries the samples of the
// epoch before the draw. With buckets, it also carries the number of the batch within the run that
// begins there.
//
// Each member stands at its next sequence. The window of a place has the windows of the members
// that have a weight in the stage of the draw. A step compares the windows of the members that
// moved, and of no others.

namespace sheaf::internal {
namespace {

constexpr std::int64_t kRunMinibatches = 64;
constexpr std::int64_t kDrawsMax = ShareTree::kNever / 2;

// Turns the ranges of a member into ranges of all data.
void shift(std::vector<ChunkRange>& ranges, std::size_t first, const MemberCounts& counts) {
  for (std::size_t i = first; i < ranges.size(); ++i) {
    ranges[i].chunk = counts.outer(ranges[i].chunk);
  }
}

void append_all(std::vector<ChunkRange>& ranges, const std::vector<ChunkRange>& more) {
  ranges.insert(ranges.end(), more.begin(), more.end());
}

}  // namespace

void MixedWalk::set_data(const std::shared_ptr<const MixedData>& data) {
  if (data_) return;
  data_ = data;
  walk_.emplace(draws());
  const std::int64_t count = data_->member_count();
  members_.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const MemberData& member = data_->member(i);
    members_.push_back(
        {.order = nullptr,
         .lookup = nullptr,
         .samples = {member.counts, member.keyed.units, SequenceSizes::Kind::samples},
         .costs = {member.counts, member.keyed.units, SequenceSizes::Kind::costs},
         .window = {}});
  }
}

bool MixedWalk::cuts_sweeps() const noexcept {
  return options_.sweep_ends == SweepEnds::cut ||
         (options_.algorithm == OrderAlgorithm::keyed && !draws().repeats());
}

// Returns whether a step begins at a place: the run has data, and is not over.
bool MixedWalk::check(const Place& from) const {
  const std::int64_t size = draws().sweep_size();
  if (from.sequence > size) throw_beyond(from, size);
  if (options_.epochs && from.epoch > *options_.epochs) {
    throw ConfigError(formatted("position: epoch {} lies beyond the last of {} epochs", from.epoch,
                                *options_.epochs));
  }
  if (!has_epoch_size()) epochs_.check(from, 0);
  check_sweep(from.sweep);
  if (size == 0 || is_over(from)) return false;
  std::int64_t stretch = kDrawsMax;  // draws, unless an epoch that counts samples ends them first
  if (options_.sweeps && !has_epoch_size()) stretch = saturated_product(*options_.sweeps, size);
  check_has_minibatch(options_, cuts_sweeps() ? size : stretch);
  if (fails_at_end() && (!has_epoch_size() || from.sequence == size)) {
    throw ConfigError(
        formatted("mixture: {} has no sequences left after {} draws, and other members have; say "
                  "exhausted=\"repeat\", \"stop\" or \"drop\"{}",
                  counts_.mixture()->names[static_cast<std::size_t>(draws().last_member())], size,
                  has_epoch_size() ? ", or make the epochs smaller" : ", or say an epoch_size"));
  }
  return true;
}

void MixedWalk::check_sweep(std::int64_t sweep) const {
  const std::int64_t size = draws().sweep_size();
  if (!draws().repeats() || saturated_product(sweep + 1, size) < kDrawsMax) return;
  throw ConfigError(
      formatted("position: sweep {} of {} draws each lies beyond the {} draws of a run", sweep,
                size, kDrawsMax));
}

// Goes to a draw of a sweep.
void MixedWalk::enter(std::int64_t sweep, std::int64_t number) {
  sweep_ = sweep;
  number_ = number;
  walk_->go_to(draws().repeats() ? sweep * draws().sweep_size() + number : number);
  next_.reset();
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Member& member = members_[i];
    const std::int64_t count = walk_->counts()[i];
    const std::int64_t size = draws().sizes()[i];
    const bool repeats = draws().repeats() && size > 0;
    const std::int64_t new_sweep = repeats ? count / size : sweep;
    const std::int64_t new_number = repeats ? count % size : count;
    const bool is_same = member.sweep == new_sweep && member.number == new_number;
    member.is_there = member.is_there && is_same;
    member.sweep = new_sweep;
    member.number = new_number;
  }
  mark_windows();
}

void MixedWalk::seek(const Place& place) {
  const std::int64_t epoch_sample =
      has_epoch_size() && !place.carry.empty() ? place.carry.front() : 0;
  const bool is_here = is_settled_ && epoch_ == place.epoch && sweep_ == place.sweep &&
                       number_ == place.sequence && sample_ == place.sample &&
                       epoch_sample_ == epoch_sample;
  if (is_here) return;
  for (Member& member : members_) member.is_there = member.is_there && is_settled_;
  is_settled_ = false;
  epoch_ = place.epoch;
  sample_ = place.sample;
  epoch_sample_ = epoch_sample;
  if (place.sequence < draws().sweep_size()) {
    enter(place.sweep, place.sequence);
  } else {
    enter(place.sweep + 1, 0);
    sample_ = 0;
    if (!has_epoch_size()) epoch_ = std::max(epoch_, epochs_.epoch_of(sweep_, 0, 0));
  }
  entered_.clear();
  static_cast<void>(settle_windows());
  is_settled_ = true;
}

// Returns the order of a member, standing at the member's next sequence.
MemberOrder& MixedWalk::order_of(std::int64_t number) {
  Member& member = members_[static_cast<std::size_t>(number)];
  if (!member.order) member.order = member_order(data_->member(number), options_);
  if (!member.is_there) member.order->go_to(member.sweep, member.number);
  member.is_there = true;
  return *member.order;
}

// Notes which sweep and epoch end here, behind a draw. Returns whether the minibatch ends.
bool MixedWalk::settle(Drawn& drawn) {
  bool ends = false;
  if (number_ == draws().sweep_size()) {
    if (fails_at_end()) {
      ends = true;  // and the next step throws
    } else {
      drawn.ends_sweep = true;
      sample_ = 0;
      if (draws().repeats()) {
        check_sweep(++sweep_);
        number_ = 0;
      } else {
        enter(sweep_ + 1, 0);
      }
      ends = cuts_sweeps();
      if (!has_epoch_size()) drawn.ends_epoch = epochs_.epoch_of(sweep_, 0, 0) > epoch_;
    }
  }
  if (has_epoch_size() && epoch_sample_ >= *options_.epoch_size) drawn.ends_epoch = true;
  return ends || drawn.ends_epoch;
}

void MixedWalk::append(Drawn& drawn, std::int64_t member, const MemberOrder::Sequence& sequence,
                       std::int64_t samples, std::int64_t cost) {
  const std::int64_t sweep = members_[static_cast<std::size_t>(member)].sweep;
  if (drawn.sequences.empty()) drawn.sweep = sweep;
  if (drawn.sweeps.empty() && sweep != drawn.sweep) {
    drawn.sweeps.assign(drawn.sequences.size(), drawn.sweep);
  }
  if (sweep != drawn.sweep || !drawn.sweeps.empty()) drawn.sweeps.push_back(sweep);
  drawn.sequences.push_back({data_->member(member).counts.outer(sequence.chunk), sequence.number});
  drawn.sample_count += samples;
  const bool has_workers = options_.worker_count > 1;
  if (has_workers || options_.batching == Batching::bucketed) {
    drawn.samples.push_back(samples);
    if (options_.unit == MinibatchUnit::cost) drawn.costs.push_back(cost);
  }
  if (!has_workers) return;
  const bool is_file = options_.algorithm == OrderAlgorithm::file;
  drawn.owners.push_back(is_file ? (drawn.turn + std::ssize(drawn.owners)) % options_.worker_count
                                 : sequence.owner);
}

// Takes draws until the minibatch has `size`, or until a sweep or an epoch ends the minibatch. A
// sequence of size 0 fits a full minibatch.
void MixedWalk::take(std::int64_t size, const StepRoom& room, Drawn& drawn) {
  is_settled_ = false;
  drawn.turn = draws().repeats() ? sweep_ * draws().sweep_size() + number_ : number_;
  const bool is_step = options_.worker_count == 1 && options_.batching == Batching::plain;
  const std::int64_t most = is_step ? room.left(0) : kDrawsMax;
  std::int64_t left = size;
  std::int64_t since_sweep = 0;
  bool ends = settle(drawn);
  while (!ends) {
    if (!next_) next_ = walk_->next();
    const std::int64_t number = next_->member;
    Member& member = members_[static_cast<std::size_t>(number)];
    MemberOrder& order = order_of(number);
    note_window(member, number);
    const MemberOrder::Sequence& sequence = order.peek();
    const std::int64_t samples = member.samples(sequence.chunk, sequence.number);
    std::int64_t amount = samples;
    if (options_.unit == MinibatchUnit::sequences) amount = 1;
    if (options_.unit == MinibatchUnit::cost) {
      amount = member.costs(sequence.chunk, sequence.number);
    }
    if (amount > left && !drawn.sequences.empty()) break;
    append(drawn, number, sequence, samples, amount);
    if (std::ssize(drawn.sequences) > most) room.check(std::ssize(drawn.sequences));
    order.advance();
    next_.reset();
    left -= amount;
    since_sweep = saturated_sum(since_sweep, amount);
    ++number_;
    sample_ += samples;
    if (has_epoch_size()) epoch_sample_ += samples;
    if (++member.number == draws().sizes()[static_cast<std::size_t>(number)]) {
      if (draws().repeats()) {
        member.number = 0;
        ++member.sweep;
      } else {
        member.is_there = false;  // the order already stands in its next sweep
      }
    }
    if (!member.is_there || order.window_state() != member.state) mark_window(member, number);
    const bool is_sweep_end = number_ == draws().sweep_size();
    ends = settle(drawn);
    // Ends the minibatch after a sweep that adds nothing to it. Otherwise data without samples or
    // costs would make an endless minibatch.
    if (is_sweep_end) ends |= left <= 0 || since_sweep == 0;
    if (is_sweep_end) since_sweep = 0;
  }
  if (!drawn.ends_epoch) return;
  ++epoch_;
  if (has_epoch_size()) epoch_sample_ -= *options_.epoch_size;
}

// Takes `count` draws, as take(). With drop_last, takes as many whole minibatches as come before a
// sweep or an epoch ends, and leaves out sequences that fill no minibatch.
void MixedWalk::take_whole(std::int64_t count, const StepRoom& room, Drawn& drawn) {
  take(count, room, drawn);
  if (!options_.drop_last) return;
  const auto keep_whole = [&] {
    const auto rest =
        static_cast<std::size_t>(std::ssize(drawn.sequences) % options_.minibatch_size);
    for (std::vector<std::int64_t>* const list :
         {&drawn.samples, &drawn.costs, &drawn.owners, &drawn.sweeps}) {
      if (!list->empty()) list->resize(list->size() - rest);
    }
    drawn.sequences.resize(drawn.sequences.size() - rest);
  };
  keep_whole();
  const auto is_stuck = [&] { return fails_at_end() && number_ == draws().sweep_size(); };
  while (!drawn.ends_epoch && !is_stuck() && (drawn.sequences.empty() || !has_minibatch(room))) {
    Drawn rest;
    take(drawn.sequences.empty() ? count : kDrawsMax, room, rest);
    rest.ends_sweep |= drawn.ends_sweep;
    if (drawn.sequences.empty()) {
      drawn = std::move(rest);
      keep_whole();
    } else {
      drawn.ends_sweep = rest.ends_sweep;
      drawn.ends_epoch = rest.ends_epoch;
    }
  }
}

// Returns whether a whole minibatch follows before a sweep or an epoch ends. The walk stays where
// it is.
bool MixedWalk::has_minibatch(const StepRoom& room) {
  const std::int64_t size = draws().sweep_size();
  std::int64_t sweeps = kDrawsMax;
  if (options_.sweeps && !has_epoch_size()) {
    sweeps = saturated_product(*options_.sweeps, epoch_ + 1) - sweep_;
  }
  if (cuts_sweeps()) sweeps = 1;
  if (saturated_product(sweeps, size) - number_ < options_.minibatch_size) return false;
  if (!has_epoch_size()) return true;
  const Place here = place();
  const std::vector<ChunkRange> entered = entered_;
  Drawn ahead;
  take(options_.minibatch_size, room, ahead);
  epoch_ = here.epoch;
  sample_ = here.sample;
  epoch_sample_ = here.carry.empty() ? 0 : here.carry.front();
  enter(here.sweep, here.sequence);
  entered_ = entered;
  return std::ssize(ahead.sequences) == options_.minibatch_size;
}

// Records the window that a draw takes from. It is either held at the place, or entered for this
// step only.
void MixedWalk::note_window(Member& member, std::int64_t number) {
  const WindowState state = member.order->window_state();
  if (state == member.state) return;
  member.state = state;
  const std::size_t first = entered_.size();
  member.order->append_window(entered_);
  shift(entered_, first, data_->member(number).counts);
  mark_window(member, number);
}

void MixedWalk::mark_window(Member& member, std::int64_t number) {
  if (member.is_changed) return;
  member.is_changed = true;
  changed_.push_back(number);
}

// Marks the windows of all members as changed.
void MixedWalk::mark_windows() {
  changed_.clear();
  for (std::int64_t i = 0; i < std::ssize(members_); ++i) {
    members_[static_cast<std::size_t>(i)].is_changed = true;
    changed_.push_back(i);
  }
}

// Finds the windows of this place. At the beginning of another stage, members come and go.
MixedWalk::Windows MixedWalk::settle_windows() {
  const std::int64_t draw = draws().repeats() ? sweep_ * draws().sweep_size() + number_ : number_;
  const std::vector<std::int64_t>& weights = draws().weights_at(draw);
  if (weights != weights_) {
    weights_ = weights;
    mark_windows();
  }
  Windows windows;
  for (const std::int64_t number : changed_) {
    const auto i = static_cast<std::size_t>(number);
    Member& member = members_[i];
    append_all(windows.before, member.window);
    member.window.clear();
    member.state = {-1, -1};
    member.is_changed = false;
    if (weights_[i] == 0 || member.number >= draws().sizes()[i]) continue;
    const MemberOrder& order = order_of(number);
    member.state = order.window_state();
    order.append_window(member.window);
    shift(member.window, 0, data_->member(number).counts);
    append_all(windows.after, member.window);
  }
  changed_.clear();
  windows.entered = without(std::exchange(entered_, {}), windows.before);
  return windows;
}

std::vector<ChunkRange> MixedWalk::window() const {
  std::vector<ChunkRange> all;
  for (const Member& member : members_) append_all(all, member.window);
  return all;
}

Place MixedWalk::place() const {
  Place place{
      .epoch = epoch_, .sweep = sweep_, .sequence = number_, .sample = sample_, .carry = {}};
  if (epoch_sample_ > 0) place.carry.push_back(epoch_sample_);
  return place;
}

std::optional<Step> MixedWalk::step(const Place& from, const StepRoom& room) {
  if (!check(from)) return {};
  if (options_.batching == Batching::bucketed) return batch_step(from);
  seek(from);
  if (epochs_.is_over(epoch_)) return {};
  Drawn drawn;
  take_whole(options_.minibatch_size, room, drawn);
  const Place next = place();
  std::vector<ChunkRange> rest;
  const bool ends_run = is_over(next);
  if (ends_run) rest = window();
  Windows windows = settle_windows();
  is_settled_ = true;
  if (ends_run) {
    windows.before = std::move(rest);
    windows.after.clear();
  }
  std::vector<ChunkRange> passed = without(std::move(windows.entered), windows.after);
  return own_part(std::move(drawn), from, next, std::move(passed),
                  change_between(std::move(windows.before), std::move(windows.after)));
}

// A foreign sequence may become the worker's own in the next sweep. So data that enter the window
// are removed from `passed`.
Step MixedWalk::own_part(Drawn drawn, const Place& from, const Place& next,
                         std::vector<ChunkRange> passed, WindowChange change) {
  Step step;
  step.ends_sweep = drawn.ends_sweep;
  step.ends_epoch = drawn.ends_epoch;
  step.passed = std::move(passed);
  step.next = next;
  share_.take(std::move(drawn), step);
  if (!change.load.empty()) {
    std::erase_if(step.passed, [&](const ChunkRange& range) {
      return std::ranges::binary_search(change.load, range);
    });
  }
  last_change_ = {.from = from, .to = step.next, .change = std::move(change)};
  return step;
}

// Returns the beginning of the run that a place lies in, and sets `batch`. The carry of a place has
// the samples of the epoch, if epochs count them, and then the number of the batch.
Place MixedWalk::begin_of_run(const Place& place, std::int64_t& batch) const {
  Place begin = place;
  const std::size_t kept = has_epoch_size() ? 1 : 0;
  batch = place.carry.size() > kept ? place.carry.back() : 0;
  if (begin.carry.size() > kept) begin.carry.resize(kept);
  if (kept == 1 && !begin.carry.empty() && begin.carry.front() == 0) begin.carry.clear();
  return begin;
}

void MixedWalk::begin_run(const Place& begin) {
  if (run_ && run_->begin == begin) return;
  run_.reset();
  seek(begin);
  const std::uint64_t key = key_of(key_of(options_.seed, static_cast<std::uint64_t>(sweep_)),
                                   static_cast<std::uint64_t>(number_));
  const std::vector<ChunkRange> all = window();
  Run run{.begin = begin, .next = {}, .drawn = {}, .batches = {}, .windows = {}};
  const std::int64_t size = options_.minibatch_size;
  take_whole(saturated_product(size, kRunMinibatches), StepRoom(), run.drawn);
  run.next = place();
  run.windows = settle_windows();
  is_settled_ = true;
  if (is_over(run.next)) {
    run.windows.before = all;
    run.windows.after.clear();
  }
  run.windows.entered = without(std::move(run.windows.entered), all);
  const Drawn& drawn = run.drawn;
  const bool counts_costs = options_.unit == MinibatchUnit::cost;
  run.batches =
      options_.sizes == Sizes::exact
          ? exact_batches_by_length(drawn.samples, size, key)
          : batches_by_length(counts_costs ? drawn.costs : drawn.samples, size, options_.unit, key);
  run_ = std::move(run);
}

Step MixedWalk::batch_step(const Place& from) {
  std::int64_t number = 0;
  begin_run(begin_of_run(from, number));
  const Run& run = *run_;
  if (number > 0 && number >= run.batches.count()) {
    throw ConfigError(formatted("position: carry {}: the run that begins here has {} batches",
                                number, run.batches.count()));
  }
  Drawn drawn;
  drawn.sweep = run.drawn.sweep;
  drawn.turn = run.drawn.turn + number;
  if (run.batches.count() > 0) {
    for (const std::int64_t each : run.batches.batch(number)) {
      const auto i = static_cast<std::size_t>(each);
      drawn.sequences.push_back(run.drawn.sequences[i]);
      drawn.samples.push_back(run.drawn.samples[i]);
      drawn.sample_count += run.drawn.samples[i];
      if (!run.drawn.owners.empty()) drawn.owners.push_back(run.drawn.owners[i]);
      if (!run.drawn.sweeps.empty()) drawn.sweeps.push_back(run.drawn.sweeps[i]);
    }
  }
  const Windows& windows = run.windows;
  if (number + 1 < run.batches.count()) {
    Place next = run.begin;
    if (has_epoch_size() && next.carry.empty()) next.carry.push_back(0);
    next.carry.push_back(number + 1);
    WindowChange change;
    if (number == 0) change.load = windows.entered;
    return own_part(std::move(drawn), from, next, {}, std::move(change));
  }
  drawn.ends_sweep = run.drawn.ends_sweep;
  drawn.ends_epoch = run.drawn.ends_epoch;
  std::vector<ChunkRange> before = windows.before;
  std::vector<ChunkRange> passed;
  if (number == 0) {
    passed = without(windows.entered, windows.after);
  } else {
    append_all(before, windows.entered);
  }
  return own_part(std::move(drawn), from, run.next, std::move(passed),
                  change_between(std::move(before), windows.after));
}

std::vector<ChunkRange> MixedWalk::window_at(const Place& place) {
  if (!check(place)) return {};
  std::int64_t batch = 0;
  const bool is_bucketed = options_.batching == Batching::bucketed;
  const Place begin = is_bucketed ? begin_of_run(place, batch) : place;
  seek(begin);
  if (epochs_.is_over(epoch_)) return {};
  std::vector<ChunkRange> all = window();
  if (batch > 0) {
    begin_run(begin);
    append_all(all, run_->windows.entered);
  }
  return all;
}

Place MixedWalk::place_of(std::int64_t sample) {
  if (!check({})) throw ConfigError("position: the data have no sequences");
  seek({});
  std::int64_t before_sweep = 0;
  for (std::int64_t passed = 0; passed < sample;) {
    const std::int64_t sweep = sweep_;
    Drawn one;
    take(1, StepRoom(), one);
    passed += one.sample_count;
    if (sweep_ == sweep) continue;
    if (passed == before_sweep) throw ConfigError("position: a sweep of the data has no samples");
    before_sweep = passed;
  }
  return place();
}

std::optional<Step> MixedWalk::sequence_at(std::int64_t sweep, std::int64_t number) {
  if (sweep < 0 || number < 0 || number >= draws().sweep_size()) return {};
  check_sweep(sweep);
  const bool repeats = draws().repeats();
  const ShareTree::Draw draw = draws().at(repeats ? sweep * draws().sweep_size() + number : number);
  const MemberData& data = data_->member(draw.member);
  Member& member = members_[static_cast<std::size_t>(draw.member)];
  const std::int64_t size = data.keyed.units.sequence_count();
  const std::int64_t own_sweep = repeats ? draw.ordinal / size : sweep;
  if (!member.lookup) member.lookup = member_order(data, options_);
  member.lookup->go_to(own_sweep, repeats ? draw.ordinal % size : draw.ordinal);
  const MemberOrder::Sequence found = member.lookup->peek();
  Step step = single_step(counts_, {data.counts.outer(found.chunk), found.number},
                          data.keyed.units.sequence_count(found.chunk));
  step.sweep = own_sweep;
  return step;
}

}  // namespace sheaf::internal
