#include "reader/plan/planner.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "sheaf/error.h"
#include "sheaf/extend/chunk.h"

#include "base/saturated.h"
#include "base/text.h"
#include "core/cut_lengths.h"

namespace sheaf::internal {
namespace {

__extension__ using Wide = __int128;

/// Returns the bytes of the dense arrays if each sequence had one sample. With a fixed slot or
/// sequence length, the arrays are many times larger than the samples. If each sequence is padded
/// to that length, this applies to each sequence.
double least_array_bytes(std::span<const Stream> streams, const Packer& packer,
                         std::int64_t sequence_count) {
  constexpr std::int64_t kOneEach[] = {1, 1};
  const std::int64_t first_count = packer.row_count(std::span(kOneEach).first(1));
  auto row_count = static_cast<double>(first_count);
  if (first_count > 1 && sequence_count > 1) {
    row_count += static_cast<double>(packer.row_count(kOneEach) - first_count) *
                 static_cast<double>(sequence_count - 1);
  }
  double bytes = 0;
  for (const Stream& stream : streams) {
    if (stream.storage != Storage::dense || !stream.sample_shape.is_fixed()) continue;
    bytes += row_count *
             static_cast<double>(stream.sample_shape.size() * element_size(stream.element_type));
  }
  return bytes;
}

constexpr std::int64_t kNowhere = std::numeric_limits<std::int64_t>::min();  // no such number

constexpr double kMostBytes = 0x1p60;  // more than any memory, but safe to add to

// Returns bytes * part / whole, rounded up. A piece may be a millionth of its sequence.
//
// Pre: 0 <= part < whole.
std::int64_t share_of(std::int64_t bytes, std::int64_t part, std::int64_t whole) noexcept {
  std::int64_t product = 0;
  const bool is_small = !__builtin_mul_overflow(bytes, part, &product) &&
                        product <= std::numeric_limits<std::int64_t>::max() - whole;
  if (is_small) return (product + whole - 1) / whole;  // the usual case, and much faster
  return static_cast<std::int64_t>((Wide{bytes} * part + whole - 1) / whole);
}

// Makes room for `count` more elements, and at least doubles the room.
template <typename T>
void make_room(std::vector<T>& list, std::size_t count) {
  const std::size_t size = list.size() + count;
  if (size > list.capacity()) list.reserve(std::max(size, 2 * list.capacity()));
}

template <typename T>
std::int64_t held_bytes(const std::vector<T>& values) noexcept {
  return static_cast<std::int64_t>(values.capacity() * sizeof(T));
}

/// Returns the cut of a run's unit.
const RangeCut& cut_of(const StepPlan& plan, const SequenceRun& run) noexcept {
  return *plan.units[static_cast<std::size_t>(run.use)].cut;
}

/// The sizes of a plan, for undoing a step.
struct Mark {
  std::size_t steps = 0;
  std::size_t cuts = 0;
  std::size_t units = 0;
  std::size_t runs = 0;
  std::size_t slices = 0;
  std::size_t slots = 0;
  std::size_t sweeps = 0;
  std::int64_t packed_bytes = 0;
  std::int64_t made_bytes = 0;
  std::int64_t wide_bytes = 0;

  explicit Mark(const StepPlan& plan) noexcept
      : steps(plan.steps.size()),
        cuts(plan.cuts.size()),
        units(plan.units.size()),
        runs(plan.runs.size()),
        slices(plan.slices.size()),
        slots(plan.slots.size()),
        sweeps(plan.sweeps.size()),
        packed_bytes(plan.packed_bytes),
        made_bytes(plan.made_bytes),
        wide_bytes(plan.wide_bytes) {}

  void restore(StepPlan& plan) const {
    plan.steps.resize(steps);
    plan.cuts.resize(cuts);
    plan.units.resize(units);
    plan.runs.resize(runs);
    plan.slices.resize(slices);
    plan.slots.resize(slots);
    plan.sweeps.resize(sweeps);
    plan.packed_bytes = packed_bytes;
    plan.made_bytes = made_bytes;
    plan.wide_bytes = wide_bytes;
  }
};

}  // namespace

std::int64_t StepPlan::memory_bytes() const noexcept {
  return static_cast<std::int64_t>(sizeof(StepPlan)) + held_bytes(steps) + held_bytes(cuts) +
         held_bytes(units) + held_bytes(runs) + held_bytes(slices) + held_bytes(slots) +
         held_bytes(sweeps) + held_bytes(load) + held_bytes(release);
}

Planner::Planner(const Deserializer& deserializer, const Sequencer& sequencer, const Packer& packer,
                 Place start, std::int64_t large_units_bytes)
    : deserializer_(deserializer),
      packer_(packer),
      walk_(sequencer, std::move(start)),
      large_units_bytes_(large_units_bytes),
      counted_(&deserializer.index()),
      cuts_apart_(cut_lengths_of(deserializer.index()) != nullptr) {}

std::int64_t Planner::own_bytes() const noexcept {
  return held_bytes(use_sizes_) + numbers_.memory_bytes();
}

std::int64_t Planner::counted_bytes() const {
  return counted_->memory_bytes() + order_bytes_ + std::max(kOwnBytesMin, own_bytes());
}

std::optional<StepPlan> Planner::next(std::int64_t steps_max) {
  index_bytes_ = counted_bytes();
  std::optional<OrderWalk::Next> next = take_step();
  if (!next) return std::nullopt;
  known_.begin_plan();
  numbers_.begin_plan(last_units_);  // probably as many units again
  use_sizes_.clear();
  table_bytes_ = 0;
  StepPlan plan;
  plan.units.reserve(last_units_);
  plan.prepares_steps = chain_ != nullptr && chain_->batch() == Transform::Batch::step;
  load(*next, plan);
  add(next->step, plan);
  for (;;) {
    release(next->release, plan);
    const bool is_all = std::ssize(plan.steps) >= steps_max || plan.packed_bytes > kTogetherBytes ||
                        !plan.release.empty();
    if (is_all || !add_next(plan, next)) break;
  }
  // add_next() compared the plan with the limit before the tables grew.
  if (memory_limit_bytes_ > 0 && own_bytes() > kOwnBytesMin) {
    use_sizes_ = std::vector<UseSizes>();
    numbers_ = UseNumbers();
  }
  index_bytes_ = counted_bytes();
  plan.table_bytes = table_bytes_;
  last_units_ = plan.units.size();
  estimate(plan);
  choose_forms(plan);
  return plan;
}

// Adds the next step, if it can be planned together with the steps before. Otherwise, the step or
// the error waits for the next call.
bool Planner::add_next(StepPlan& plan, std::optional<OrderWalk::Next>& next) {
  const Mark mark(plan);
  try {
    next = take_step();
    if (!next) return false;
    const Step& step = next->step;
    const bool is_alike =
        step.slices.empty() == plan.slices.empty() && step.slots.empty() == plan.slots.empty();
    if (is_alike && next->load.empty()) {
      add(step, plan);
      const std::span<const UnitUse> more = std::span(plan.units).subspan(mark.units);
      const bool is_there = std::ranges::all_of(more, &UnitUse::is_held);
      if (memory_limit_bytes_ > 0) estimate(plan);
      if (is_there && plan.packed_bytes <= kTogetherBytes &&
          (memory_limit_bytes_ == 0 || plan.needed_bytes <= memory_limit_bytes_)) {
        return true;
      }
      mark.restore(plan);
    }
    waiting_ = std::move(next);
  } catch (...) {
    mark.restore(plan);
    waiting_error_ = std::current_exception();
  }
  return false;
}

std::optional<OrderWalk::Next> Planner::take_step() {
  if (waiting_error_) std::rethrow_exception(waiting_error_);
  if (waiting_) return std::exchange(waiting_, std::nullopt);
  return walk_.next(StepRoom(memory_limit_bytes_));
}

void Planner::add(const Step& step, StepPlan& plan) {
  StepEnd before;
  if (!plan.steps.empty()) {
    before.run = plan.steps.back().run;
    before.sequence = plan.steps.back().sequence;
  }
  add_runs(step, plan);
  plan.needs_equal_streams |= step.needs_equal_streams;
  std::ranges::copy(step.slices, std::back_inserter(plan.slices));
  std::ranges::copy(step.slots, std::back_inserter(plan.slots));
  for (std::size_t i = 0; chain_ != nullptr && i < step.sequences.size(); ++i) {
    plan.sweeps.push_back(step.sweep_of(i));
  }
  plan.steps.push_back({.run = std::ssize(plan.runs),
                        .sequence = before.sequence + std::ssize(step.sequences),
                        .ends_sweep = step.ends_sweep,
                        .ends_epoch = step.ends_epoch,
                        .next = step.next});
  add_bytes_to_pack(plan, before);
}

// A window may have very many ranges, so the tables of held ranges are not loaded until a step
// needs them. Until then, the memory of a range is estimated as its share of the chunk by number of
// sequences.
void Planner::load(const OrderWalk::Next& next, StepPlan& plan) {
  plan.load.reserve(next.load.size());
  choose_reading(next);
  for (const ChunkRange& range : next.load) {
    const ChunkInfo chunk = named_chunk(deserializer_.index(), range.chunk);
    const ChunkRange& named = plan.load.emplace_back(named_range(chunk, range));
    const auto count = static_cast<double>(std::min(named.count, chunk.sequence_count));
    const double share = count / static_cast<double>(chunk.sequence_count);
    auto bytes =
        static_cast<std::int64_t>(std::ceil(share * static_cast<double>(chunk.decoded_size_bytes)));
    const UnitSizes held_bytes =
        decoded_ != nullptr ? decoded_->held_bytes_of(range.chunk) : nullptr;
    if (held_bytes != nullptr && is_whole(named)) {
      bytes =
          std::accumulate(held_bytes->begin(), held_bytes->end(), std::int64_t{0}, saturated_sum);
    }
    held_.add(named, bytes, *reads_late_);
  }
}

// If the window does not fit the limit, steps may read their sequences one by one. The window may
// take half of the memory, because steps need the other half. Reading one by one is not used for an
// order that cuts sequences, because each piece would read its sequence again.
void Planner::choose_reading(const OrderWalk::Next& next) {
  if (reads_late_ || next.load.empty()) return;
  reads_late_ = false;
  const bool is_cut = !next.step.slices.empty();
  if (memory_limit_bytes_ == 0 || is_cut || !deserializer_.has_fast_random_access()) return;
  std::int64_t sequence_count = 0;
  double text_bytes = 0;
  double decoded_bytes = 0;
  for (const ChunkRange& range : next.load) {
    const ChunkInfo chunk = named_chunk(deserializer_.index(), range.chunk);
    const std::int64_t count = std::min(named_range(chunk, range).count, chunk.sequence_count);
    const double share = static_cast<double>(count) / static_cast<double>(chunk.sequence_count);
    sequence_count += count;
    text_bytes += share * static_cast<double>(chunk.size_bytes);
    decoded_bytes += share * static_cast<double>(chunk.decoded_size_bytes);
  }
  reads_late_ = decoded_bytes > static_cast<double>(memory_limit_bytes_) / 2 &&
                text_bytes >= static_cast<double>(sequence_count) * double{kLateBytes};
}

// A step may release a range that it loads. Such a range is held for this step only.
void Planner::release(const std::vector<ChunkRange>& ranges, StepPlan& plan) {
  std::unordered_set<ChunkIndex> chunks;  // the chunks that are released as a whole
  plan.release.reserve(ranges.size());
  for (const ChunkRange& range : ranges) {
    const ChunkInfo chunk = named_chunk(deserializer_.index(), range.chunk);
    const ChunkRange& named = plan.release.emplace_back(named_range(chunk, range));
    held_.release(named);
    loose_.erase(named.chunk);  // safe, because loose_ is only a cache
    if (is_whole(named)) chunks.insert(named.chunk);
  }
  if (ranges.empty()) return;
  for (UnitUse& use : plan.units) {
    use.is_last =
        use.is_held ? !held_.contains(use.cut->range()) : chunks.contains(use.cut->chunk());
  }
}

std::shared_ptr<const RangeCut> Planner::cut_of_held(const ChunkRange& range) const {
  const Index& index = deserializer_.index();
  const UnitBegins begins = decoded_ != nullptr ? decoded_->begins_of(range.chunk) : nullptr;
  if (begins != nullptr) {
    const UnitSizes held_bytes = decoded_->held_bytes_of(range.chunk);
    return std::make_shared<const RangeCut>(index, range, begins, held_bytes);
  }
  const bool is_large = held_.bytes() <= large_units_bytes_;
  return std::make_shared<const RangeCut>(index, range,
                                          is_large ? UnitSize::large : UnitSize::small);
}

// Finds the cut that has a sequence: the cut of a held range, or else of the whole chunk.
Planner::FoundCut Planner::find_cut(const SequenceRef& ref) {
  const Index& index = deserializer_.index();
  HeldRanges::Held* const held = held_.find(ref.chunk, ref.sequence);
  if (held != nullptr && !held->cut) {
    held_.set_cut(*held, held->is_late
                             ? std::make_shared<const RangeCut>(index, held->range, UnitSize::one)
                             : cut_of_held(held->range));
    table_bytes_ += held->cut->table_bytes();
  }
  std::shared_ptr<const RangeCut>& cut = held != nullptr ? held->cut : loose_[ref.chunk];
  if (!cut) {
    cut = std::make_shared<const RangeCut>(index, ChunkRange{ref.chunk});
    table_bytes_ += cut->table_bytes();
  }
  if (ref.sequence < cut->first() || ref.sequence >= cut->end()) {
    throw InternalError(formatted("the sequencer names sequence {} of chunk {}, which has {}",
                                  ref.sequence, static_cast<std::int64_t>(ref.chunk), cut->end()));
  }
  // If the sequence is not held, the next sequence may be held, and have a different unit.
  return {.cut = cut,
          .is_held = held != nullptr && !held->is_late,
          .is_reusable = held != nullptr || !held_.has_any(ref.chunk)};
}

// Returns the number of a sequence's unit, and adds the unit to the plan if the unit is new. Sets
// `known_end` to the end of the sequences that are known to lie in the unit.
std::int64_t Planner::add_use(const SequenceRef& ref, StepPlan& plan, std::int64_t& known_end) {
  if (const KnownCuts::Known* const known = known_.find(ref.chunk, ref.sequence)) {
    return add_unit(*known->cut, known->is_held, ref.sequence, plan, known_end);
  }
  FoundCut found = find_cut(ref);
  const std::size_t unit_count = plan.units.size();
  const std::int64_t number = add_unit(*found.cut, found.is_held, ref.sequence, plan, known_end);
  if (found.is_reusable) {
    known_.add(*found.cut, found.is_held);
  } else {
    known_end = kNowhere;
  }
  const bool is_new = plan.units.size() > unit_count;
  if (is_new) plan.cuts.push_back(std::move(found.cut));  // else an earlier unit brought the cut
  return number;
}

std::int64_t Planner::add_unit(const RangeCut& cut, bool is_held, std::int64_t sequence,
                               StepPlan& plan, std::int64_t& known_end) {
  const std::int64_t unit_number = cut.unit_number(sequence);
  UseNumbers::Use& use = numbers_.find_or_add(cut, unit_number);
  if (use.number < 0) {
    const SequenceSpan unit = cut.unit(unit_number);
    use = {.number = std::ssize(plan.units), .end = unit.end};
    use_sizes_.emplace_back(cut);
    plan.units.push_back({.cut = &cut, .unit = unit, .is_held = is_held});
  }
  known_end = use.end;
  return use.number;
}

void Planner::add_runs(const Step& step, StepPlan& plan) {
  const auto check_count = [&](std::size_t count, const char* what) {
    if (count == 0 || count == step.sequences.size()) return;
    throw InternalError(formatted("the sequencer gives {} {} for {} sequences", count, what,
                                  step.sequences.size()));
  };
  check_count(step.slices.size(), "slices");
  check_count(step.slots.size(), "slots");
  if (step.slices.empty() && !step.slots.empty()) {
    throw InternalError("the sequencer gives slots for sequences that are not cut");
  }
  // For the last run: its chunk, the sequence that would follow, and the known end of its unit.
  ChunkIndex chunk{};
  std::int64_t next = kNowhere;
  std::int64_t known_end = kNowhere;
  assert(use_sizes_.size() == plan.units.size());  // a plan ends when a step is undone
  const std::size_t runs_before = plan.runs.size();
  make_room(plan.runs, std::min(step.sequences.size(), last_runs_));  // probably as many runs again
  for (const SequenceRef& ref : step.sequences) {
    const bool follows = ref.sequence == next && ref.chunk == chunk;
    if (follows && next < known_end) {
      ++plan.runs.back().count;
      ++next;
      continue;
    }
    const std::int64_t number = add_use(ref, plan, known_end);
    if (follows && next != kNowhere && plan.runs.back().use == number) {
      ++plan.runs.back().count;
    } else {
      plan.runs.push_back({number, ref.sequence, 1});
    }
    chunk = ref.chunk;
    next = ref.sequence + 1;
  }
  last_runs_ = plan.runs.size() - runs_before;
}

// Stores the sample count of each sequence of the last step, and returns roughly how many bytes the
// sequences take when decoded. If memory is unlimited, uses the average of the chunk, which is
// faster.
//
// Pre: sequences are whole, and there are no transforms.
std::int64_t Planner::count_whole(const StepPlan& plan, const StepEnd& before) {
  const bool is_rough = large_units_bytes_ == kAnyBytes;
  std::int64_t decoded_bytes = 0;
  std::int64_t* out = sample_counts_.data();
  for (auto r = static_cast<std::size_t>(before.run); r < plan.runs.size(); ++r) {
    const SequenceRun& run = plan.runs[r];
    const UseSizes& sizes = use_sizes_[static_cast<std::size_t>(run.use)];
    if (run.count == 1 && is_rough && sizes.sample_count >= 0) {  // usual for random orders
      decoded_bytes += sizes.bytes_of_one;
      *out++ = sizes.sample_count;
      continue;
    }
    const std::int64_t run_end = run.first + run.count;
    decoded_bytes += is_rough ? sizes.average_bytes(run.count)
                              : cut_of(plan, run).decoded_bytes(run.first, run.count);
    if (sizes.sample_count < 0) {
      const RangeCut& cut = cut_of(plan, run);
      for (std::int64_t i = run.first; i < run_end; ++i) *out++ = cut.sample_count(i);
    } else {
      out = std::fill_n(out, run.count, sizes.sample_count);
    }
  }
  return decoded_bytes;
}

// The same for sequences that are cut or transformed. Stores the numbers of samples that the step
// takes. Also sums the output of the transforms, and the bytes to widen. Transforms get whole
// sequences, so these are widened whole.
std::int64_t Planner::count_parts(const StepPlan& plan, const StepEnd& before, double& made_bytes,
                                  std::int64_t& wide_bytes) {
  const bool is_rough = large_units_bytes_ == kAnyBytes;
  const bool changes_counts = chain_ != nullptr && !chain_->keeps_counts();
  const double made_bytes_each = chain_ != nullptr ? chain_->made_bytes(1) : 0;
  const SampleRange* slice = plan.slices.empty() ? nullptr : plan.slices.data() + before.sequence;
  const bool is_apart = cuts_apart_ && !plan.slots.empty();
  std::int64_t decoded_bytes = 0;
  std::int64_t* out = sample_counts_.data();
  for (auto r = static_cast<std::size_t>(before.run); r < plan.runs.size(); ++r) {
    const SequenceRun& run = plan.runs[r];
    const RangeCut& cut = cut_of(plan, run);
    const UseSizes& sizes = use_sizes_[static_cast<std::size_t>(run.use)];
    const std::int64_t run_bytes =
        is_rough ? sizes.average_bytes(run.count) : cut.decoded_bytes(run.first, run.count);
    std::int64_t whole = 0;
    std::int64_t part = 0;
    for (std::int64_t i = run.first; i < run.first + run.count; ++i) {
      std::int64_t count = cut.sample_count(i);
      if (changes_counts) count = chain_->sample_count(count);
      std::int64_t taken = count;
      if (slice != nullptr) {
        if (is_apart) count = std::max(count, slice->first + slice->count);
        taken = std::min(count, slice++->count);
      }
      *out++ = taken;
      whole += count;
      part += taken;
      made_bytes += made_bytes_each * static_cast<double>(taken);
    }
    const std::int64_t part_bytes = part == whole ? run_bytes : share_of(run_bytes, part, whole);
    decoded_bytes += part_bytes;
    wide_bytes += chain_ != nullptr ? run_bytes : part_bytes;
  }
  return decoded_bytes;
}

// Adds the memory for packing the last step: arrays with offsets and masks, a view for each
// sequence of each stream, and the output of the transforms.
void Planner::add_bytes_to_pack(StepPlan& plan, const StepEnd& before) {
  double made_bytes = 0;
  std::vector<std::int64_t>& sample_counts = sample_counts_;
  sample_counts.resize(static_cast<std::size_t>(plan.steps.back().sequence - before.sequence));
  const bool is_whole = chain_ == nullptr && plan.slices.empty();
  std::int64_t wide_bytes = 0;
  const std::int64_t decoded_bytes =
      is_whole ? count_whole(plan, before) : count_parts(plan, before, made_bytes, wide_bytes);
  const std::int64_t sequence_count = std::ssize(sample_counts);
  const std::int64_t sample_count =
      std::accumulate(sample_counts.begin(), sample_counts.end(), std::int64_t{0});
  const std::int64_t row_count = packer_.row_count(sample_counts);
  const double rows_per_sample =
      static_cast<double>(row_count) / static_cast<double>(std::max<std::int64_t>(1, sample_count));
  const std::span<const Stream> streams =
      chain_ != nullptr ? std::span<const Stream>(chain_->streams()) : deserializer_.streams();
  // A stream may have fewer samples than the counted stream, for example one for each sequence.
  const double least_bytes =
      sample_count > 0 ? least_array_bytes(streams, packer_, sequence_count) : 0;
  const double array_bytes = std::max(
      least_bytes, std::ceil((static_cast<double>(decoded_bytes) + made_bytes) * rows_per_sample));

  constexpr double kBytesPerRow = sizeof(std::int64_t) + 1;  // an offset and the mask
  constexpr double kBytesPerView = sizeof(SequenceView) + 3 * sizeof(std::int64_t);
  constexpr double kBytesPerKey = 2 * sizeof(SequenceKey);
  constexpr double kBytesPerStream = 1024;  // needed even without sequences
  const auto sequences = static_cast<double>(sequence_count);
  const double packed_bytes =
      array_bytes + made_bytes + sequences * kBytesPerKey +
      static_cast<double>(streams.size()) * (static_cast<double>(row_count) * kBytesPerRow +
                                             sequences * kBytesPerView + kBytesPerStream);
  plan.packed_bytes += static_cast<std::int64_t>(std::min(packed_bytes, kMostBytes));
  plan.made_bytes += static_cast<std::int64_t>(std::min(made_bytes, kMostBytes));
  plan.wide_bytes += is_whole ? decoded_bytes : wide_bytes;
}

// Returns whether there is room to make columns narrow and to widen the columns of the steps. With
// a limit, the window is admitted by the size of its values as read, because only reading shows how
// narrow they can be. So the gain must exceed the cost. Narrow columns save at least a quarter of a
// unit, or the unit stays as it was read. They cost a second copy of the units that are being read,
// and the wide values of the steps.
bool Planner::may_be_narrow(const StepPlan& plan) const noexcept {
  if (memory_limit_bytes_ == 0) return true;
  constexpr std::int64_t kReadsAtOnce = 8;
  constexpr std::int64_t kStepShare = 8;  // the wide values of the steps may take 1/8 of the window
  if (plan.wide_bytes > plan.window_bytes / kStepShare) return false;
  std::int64_t copy_bytes = 0;
  for (const UnitUse& use : plan.units) {
    if (use.is_held && !use.is_last) copy_bytes = std::max(copy_bytes, use.narrow_copy_bytes());
  }
  const std::int64_t room = memory_limit_bytes_ - plan.needed_bytes - plan.wide_bytes;
  return room > 0 && copy_bytes <= room / kReadsAtOnce;
}

// Units that the window holds for later steps get narrow columns, to save memory.
void Planner::choose_forms(StepPlan& plan) const noexcept {
  if (!may_be_narrow(plan)) return;
  for (UnitUse& use : plan.units) {
    if (use.is_held && !use.is_last) use.form = UnitForm::narrow;
  }
}

// Estimates the memory of the plan if nothing else is held: the index, the window after the plan,
// the units outside this window, one read buffer, and packing.
void Planner::estimate(StepPlan& plan) const {
  plan.window_ranges = held_.size();
  plan.window_chunks = held_.whole_count();
  plan.window_bytes = held_.bytes();
  plan.reads_late = reads_late_.value_or(false);
  // Units are read one after the other, and all of them before packing. Decoded units are widened
  // for packing.
  std::int64_t reading_bytes = decoded_ != nullptr ? decoded_->reading_bytes() : 0;
  plan.counts_wide = reading_bytes > 0;
  const std::int64_t wide_bytes = plan.counts_wide ? plan.wide_bytes : 0;
  plan.needed_bytes = index_bytes_ + kReadBufferBytes + plan.window_bytes;
  for (const UnitUse& use : plan.units) {
    if (!use.is_held || use.is_last) plan.needed_bytes += use.bytes();
    const bool is_kept = use.cut->is_decoded() && memory_limit_bytes_ == 0;  // never read again
    if (!is_kept) reading_bytes = std::max(reading_bytes, use.reading_bytes());
  }
  plan.needed_bytes += std::max(plan.packed_bytes + wide_bytes, reading_bytes);
}

}  // namespace sheaf::internal
