#include "reader/planner.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "sheaf/chunk.h"
#include "sheaf/error.h"

#include "base/text.h"
#include "sequencer/step_room.h"

namespace sheaf::internal {
namespace {

/// Bytes of the dense arrays of streams that have one sample each. Where slots are of a fixed
/// length, that is many times the sample.
double least_array_bytes(std::span<const Stream> streams, const Packer& packer) {
  constexpr std::int64_t kOneSample[] = {1};
  const auto row_count = static_cast<double>(packer.row_count(kOneSample));
  double bytes = 0;
  for (const Stream& stream : streams) {
    if (stream.storage != Storage::dense || !stream.sample_shape.is_fixed()) continue;
    bytes += row_count *
             static_cast<double>(stream.sample_shape.size() * element_size(stream.element_type));
  }
  return bytes;
}

constexpr double kMostBytes = 0x1p60;  // more than there is, and still to be added to

template <typename T>
std::int64_t held_bytes(const std::vector<T>& values) noexcept {
  return static_cast<std::int64_t>(values.capacity() * sizeof(T));
}

/// Units that a step names, by cut and number; each gets a number of its own.
using UnitName = std::pair<const RangeCut*, std::int64_t>;
struct UnitNameHash {
  std::size_t operator()(const UnitName& name) const noexcept {
    const auto unit = static_cast<std::uint64_t>(name.second) * 0x9E37'79B9'7F4A'7C15U;
    return std::hash<const RangeCut*>()(name.first) ^ unit;
  }
};
using UseNumbers = std::unordered_map<UnitName, std::int64_t, UnitNameHash>;

}  // namespace

std::int64_t StepPlan::memory_bytes() const noexcept {
  return static_cast<std::int64_t>(sizeof(StepPlan)) + held_bytes(units) + held_bytes(runs) +
         held_bytes(slices) + held_bytes(slots) + held_bytes(load) + held_bytes(release);
}

Planner::Planner(const Deserializer& deserializer, const Sequencer& sequencer, const Packer& packer,
                 Place start, std::int64_t large_units_bytes)
    : deserializer_(deserializer),
      sequencer_(sequencer),
      packer_(packer),
      place_(std::move(start)),
      large_units_bytes_(large_units_bytes) {}

std::optional<StepPlan> Planner::next() {
  std::optional<Step> step;
  {
    const StepRoom room(memory_limit_bytes_);
    step = sequencer_.step(place_);
  }
  if (!step) return std::nullopt;

  StepPlan plan;
  load(step->load, plan);
  add_runs(*step, plan);
  release(step->release, plan);
  plan.slices = std::move(step->slices);
  plan.slots = std::move(step->slots);
  plan.ends_sweep = step->ends_sweep;
  plan.ends_epoch = step->ends_epoch;
  plan.next = std::move(step->next);

  index_bytes_ = deserializer_.index().memory_bytes() + order_bytes_;
  estimate(plan);
  place_ = plan.next;
  return plan;
}

// The tables of what is held are not asked for before a step needs them: a window may be of very
// many ranges. Until then each takes its share of the chunk by number of sequences.
void Planner::load(const std::vector<ChunkRange>& ranges, StepPlan& plan) {
  plan.load.reserve(ranges.size());
  for (const ChunkRange& range : ranges) {
    const ChunkInfo chunk = named_chunk(deserializer_.index(), range.chunk);
    const ChunkRange& named = plan.load.emplace_back(named_range(chunk, range));
    const auto count = static_cast<double>(std::min(named.count, chunk.sequence_count));
    const double share = count / static_cast<double>(chunk.sequence_count);
    held_.add(named, static_cast<std::int64_t>(
                         std::ceil(share * static_cast<double>(chunk.decoded_size_bytes))));
  }
}

// A step may release what it loads: that is held for this step alone.
void Planner::release(const std::vector<ChunkRange>& ranges, StepPlan& plan) {
  std::unordered_set<ChunkIndex> chunks;  // released as a whole
  plan.release.reserve(ranges.size());
  for (const ChunkRange& range : ranges) {
    const ChunkInfo chunk = named_chunk(deserializer_.index(), range.chunk);
    const ChunkRange& named = plan.release.emplace_back(named_range(chunk, range));
    held_.release(named);
    loose_.erase(named.chunk);  // only a cache, unless all of the chunk goes
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
  UnitBegins begins = decoded_ != nullptr ? decoded_->begins_of(range.chunk) : nullptr;
  if (begins != nullptr) return std::make_shared<const RangeCut>(index, range, std::move(begins));
  const bool is_large = held_.bytes() <= large_units_bytes_;
  return std::make_shared<const RangeCut>(index, range,
                                          is_large ? UnitSize::large : UnitSize::small);
}

// The unit that a sequence is read with: of a range that is held, else of its whole chunk.
UnitUse Planner::use_of(const SequenceRef& ref) {
  const Index& index = deserializer_.index();
  HeldRanges::Held* const held = held_.find(ref.chunk, ref.sequence);
  if (held != nullptr && !held->cut) {
    held_.set_cut(*held, cut_of_held(held->range));
  }
  UnitUse use;
  use.is_held = held != nullptr;
  if (use.is_held) {
    use.cut = held->cut;
  } else {
    std::shared_ptr<const RangeCut>& cut = loose_[ref.chunk];
    if (!cut) cut = std::make_shared<const RangeCut>(index, ChunkRange{ref.chunk});
    use.cut = cut;
  }
  if (ref.sequence < use.cut->first() || ref.sequence >= use.cut->end()) {
    throw InternalError(formatted("the sequencer names sequence {} of chunk {}, which has {}",
                                  ref.sequence, static_cast<std::int64_t>(ref.chunk),
                                  use.cut->end()));
  }
  use.unit = use.cut->unit_of(ref.sequence);
  return use;
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
  UseNumbers number_of(step.sequences.size());
  ChunkIndex chunk{};          // of the last run
  std::int64_t known_end = 0;  // before it, what follows the last run is of the same unit
  const auto follows = [&](const SequenceRef& ref) {
    return !plan.runs.empty() && chunk == ref.chunk &&
           ref.sequence == plan.runs.back().first + plan.runs.back().count;
  };
  for (const SequenceRef& ref : step.sequences) {
    if (follows(ref) && ref.sequence < known_end) {
      ++plan.runs.back().count;
      continue;
    }
    UnitUse use = use_of(ref);
    // What follows a sequence that is not held may be.
    const bool is_known = use.is_held || !held_.has_any(ref.chunk);
    known_end = is_known ? use.cut->end_of(use.unit) : 0;
    const auto [number, is_new] =
        number_of.try_emplace({use.cut.get(), use.unit}, std::ssize(plan.units));
    if (is_new) plan.units.push_back(std::move(use));
    if (follows(ref) && plan.runs.back().use == number->second) {
      ++plan.runs.back().count;
    } else {
      plan.runs.push_back({number->second, ref.sequence, 1});
    }
    chunk = ref.chunk;
  }
}

// What a step takes at once, if nothing else is held: the index, what is held behind it, all its
// units that are not in there, one buffer for reading, and packing. Packing takes the arrays with
// their offsets and masks, and a view for each sequence of each stream.
void Planner::estimate(StepPlan& plan) const {
  std::int64_t decoded_bytes = 0;
  std::vector<std::int64_t> sample_counts;
  for (const SequenceRun& run : plan.runs) {
    const RangeCut& cut = *plan.units[static_cast<std::size_t>(run.use)].cut;
    // Where memory is no matter the chunk's average will do, which is there at once.
    const std::int64_t run_bytes = large_units_bytes_ == kAnyBytes
                                       ? cut.average_bytes(run.count)
                                       : cut.decoded_bytes(run.first, run.count);
    std::int64_t whole = 0;
    std::int64_t part = 0;
    for (std::int64_t i = run.first; i < run.first + run.count; ++i) {
      const std::int64_t count = cut.sample_count(i);
      const std::size_t number = sample_counts.size();
      sample_counts.push_back(plan.slices.empty() ? count
                                                  : std::min(count, plan.slices[number].count));
      whole += count;
      part += sample_counts.back();
    }
    decoded_bytes += part == whole ? run_bytes : run_bytes / whole * part + run_bytes % whole;
  }
  const std::int64_t sequence_count = std::ssize(sample_counts);
  const std::int64_t sample_count =
      std::accumulate(sample_counts.begin(), sample_counts.end(), std::int64_t{0});
  const std::int64_t row_count = packer_.row_count(sample_counts);
  const double rows_per_sample =
      static_cast<double>(row_count) / static_cast<double>(std::max<std::int64_t>(1, sample_count));
  // A stream may have fewer samples than those counted, one a sequence say.
  const double least_bytes =
      sample_count > 0 ? least_array_bytes(deserializer_.streams(), packer_) : 0;
  const double array_bytes =
      std::max(least_bytes, std::ceil(static_cast<double>(decoded_bytes) * rows_per_sample));

  constexpr double kBytesPerRow = sizeof(std::int64_t) + 1;  // an offset, and the mask
  constexpr double kBytesPerView = sizeof(SequenceView) + 3 * sizeof(std::int64_t);
  constexpr double kBytesPerKey = 2 * sizeof(SequenceKey);
  constexpr double kBytesPerStream = 1024;  // what is there even without sequences
  const auto sequences = static_cast<double>(sequence_count);
  const double packed_bytes = array_bytes + sequences * kBytesPerKey +
                              static_cast<double>(deserializer_.streams().size()) *
                                  (static_cast<double>(row_count) * kBytesPerRow +
                                   sequences * kBytesPerView + kBytesPerStream);
  plan.packed_bytes = static_cast<std::int64_t>(std::min(packed_bytes, kMostBytes));

  plan.window_ranges = held_.size();
  plan.window_chunks = held_.whole_count();
  plan.window_bytes = held_.bytes();
  std::int64_t reading_bytes = 0;  // one unit after the other, and all before packing
  plan.needed_bytes = index_bytes_ + kReadBufferBytes + plan.window_bytes;
  for (const UnitUse& use : plan.units) {
    if (!use.is_held || use.is_last) plan.needed_bytes += use.bytes();
    reading_bytes = std::max(reading_bytes, use.reading_bytes());
  }
  plan.needed_bytes += std::max(plan.packed_bytes, reading_bytes);
}

}  // namespace sheaf::internal
