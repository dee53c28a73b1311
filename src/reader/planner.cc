#include "reader/planner.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

#include "sheaf/chunk.h"
#include "sheaf/error.h"

#include "base/text.h"
#include "index/units.h"

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

template <typename T>
std::int64_t held_bytes(const std::vector<T>& values) noexcept {
  return static_cast<std::int64_t>(values.capacity() * sizeof(T));
}

}  // namespace

ChunkCut::ChunkCut(const Index& index, ChunkIndex chunk) : chunk_(chunk) {
  const std::optional<ChunkInfo> info = index.chunk(chunk);
  if (!info) {
    throw InternalError(formatted("the sequencer names chunk {}, which the index does not have",
                                  static_cast<std::int64_t>(chunk)));
  }
  info_ = *info;
  table_ = index.sequences(chunk);

  firsts_ = unit_firsts(*table_, info_.size_bytes);
}

std::int64_t ChunkCut::unit_of(std::int64_t sequence) const noexcept {
  const auto after = std::upper_bound(firsts_.begin(), firsts_.end(), sequence);
  return static_cast<std::int64_t>(after - firsts_.begin()) - 1;
}

std::int64_t ChunkCut::offset(std::int64_t sequence) const noexcept {
  return sequence < table_->size() ? table_->offset_bytes(sequence) : info_.size_bytes;
}

std::int64_t ChunkCut::decoded_bytes(std::int64_t first, std::int64_t count) const noexcept {
  // A source without bytes (made-up data) is shared by number of sequences.
  const bool has_bytes = info_.size_bytes > 0;
  const std::int64_t part = has_bytes ? offset(first + count) - offset(first) : count;
  const std::int64_t whole = has_bytes ? info_.size_bytes : table_->size();
  if (part >= whole) return info_.decoded_size_bytes;
  const double share = static_cast<double>(part) / static_cast<double>(whole);
  return static_cast<std::int64_t>(
      std::ceil(share * static_cast<double>(info_.decoded_size_bytes)));
}

std::int64_t StepPlan::memory_bytes() const noexcept {
  return static_cast<std::int64_t>(sizeof(StepPlan)) + held_bytes(units) + held_bytes(runs) +
         held_bytes(slices) + held_bytes(slots) + held_bytes(load) + held_bytes(release);
}

Planner::Planner(const Deserializer& deserializer, const Sequencer& sequencer, const Packer& packer,
                 Place start)
    : deserializer_(deserializer),
      sequencer_(sequencer),
      packer_(packer),
      place_(std::move(start)) {}

std::optional<StepPlan> Planner::next() {
  std::optional<Step> step = sequencer_.step(place_);
  if (!step) return std::nullopt;

  StepPlan plan;
  add_runs(*step, plan);
  plan.slices = std::move(step->slices);
  plan.slots = std::move(step->slots);
  plan.load = std::move(step->load);
  plan.release = std::move(step->release);
  plan.ends_sweep = step->ends_sweep;
  plan.ends_epoch = step->ends_epoch;
  plan.next = std::move(step->next);
  for (const ChunkRange& range : plan.release) cuts_.erase(range.chunk);
  move_window(plan);

  index_bytes_ = deserializer_.index().memory_bytes();
  estimate(plan);
  place_ = plan.next;
  return plan;
}

void Planner::move_window(const StepPlan& plan) {
  for (const ChunkRange& range : plan.release) {
    const auto held = window_.find(range.chunk);
    if (held == window_.end()) continue;
    window_bytes_ -= held->second;
    window_.erase(held);
  }
  for (const ChunkRange& range : plan.load) {
    const std::optional<ChunkInfo> info = deserializer_.index().chunk(range.chunk);
    const auto [held, is_new] =
        window_.try_emplace(range.chunk, info ? info->decoded_size_bytes : 0);
    if (is_new) window_bytes_ += held->second;
  }
}

std::shared_ptr<const ChunkCut> Planner::cut_of(ChunkIndex chunk) {
  std::shared_ptr<const ChunkCut>& cut = cuts_[chunk];
  if (!cut) cut = std::make_shared<const ChunkCut>(deserializer_.index(), chunk);
  return cut;
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
  std::map<std::pair<ChunkIndex, std::int64_t>, std::int64_t> use_of;  // unit to number in units
  const ChunkCut* cut = nullptr;                                       // that of the last run
  std::int64_t unit_end = 0;
  for (const SequenceRef& ref : step.sequences) {
    const bool follows = cut != nullptr && cut->chunk() == ref.chunk && ref.sequence < unit_end &&
                         ref.sequence == plan.runs.back().first + plan.runs.back().count;
    if (follows) {
      ++plan.runs.back().count;
      continue;
    }
    const std::shared_ptr<const ChunkCut> found = cut_of(ref.chunk);
    cut = found.get();
    if (ref.sequence < 0 || ref.sequence >= cut->table().size()) {
      throw InternalError(formatted("the sequencer names sequence {} of chunk {}, which has {}",
                                    ref.sequence, static_cast<std::int64_t>(ref.chunk),
                                    cut->table().size()));
    }
    const std::int64_t unit = cut->unit_of(ref.sequence);
    unit_end = cut->first_of(unit + 1);
    const auto [use, is_new] =
        use_of.try_emplace({ref.chunk, unit}, static_cast<std::int64_t>(plan.units.size()));
    if (is_new) plan.units.push_back({found, unit});
    plan.runs.push_back({use->second, ref.sequence, 1});
  }
}

// What a step takes at once, if nothing else is held: the index, the window, all its units that are
// not in it, one buffer for reading, and packing. Packing takes the arrays with their offsets and
// masks, and a view for each sequence of each stream.
void Planner::estimate(StepPlan& plan) const {
  std::int64_t decoded_bytes = 0;
  std::vector<std::int64_t> sample_counts;
  for (const SequenceRun& run : plan.runs) {
    const ChunkCut& cut = *plan.units[static_cast<std::size_t>(run.use)].cut;
    const std::int64_t run_bytes = cut.decoded_bytes(run.first, run.count);
    std::int64_t whole = 0;
    std::int64_t part = 0;
    for (std::int64_t i = run.first; i < run.first + run.count; ++i) {
      const std::int64_t count = cut.table().sample_count(i);
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

  constexpr std::int64_t kBytesPerRow = sizeof(std::int64_t) + 1;  // an offset, and the mask
  constexpr std::int64_t kBytesPerView = sizeof(SequenceView) + 3 * sizeof(std::int64_t);
  constexpr std::int64_t kBytesPerKey = 2 * sizeof(SequenceKey);
  constexpr std::int64_t kBytesPerStream = 1024;  // what is there even without sequences
  const auto stream_count = static_cast<std::int64_t>(deserializer_.streams().size());
  plan.packed_bytes =
      static_cast<std::int64_t>(array_bytes) + sequence_count * kBytesPerKey +
      stream_count * (row_count * kBytesPerRow + sequence_count * kBytesPerView + kBytesPerStream);

  plan.window_chunks = std::ssize(window_);
  plan.window_bytes = window_bytes_;
  plan.needed_bytes = index_bytes_ + kReadBufferBytes + plan.packed_bytes + window_bytes_;
  for (const UnitUse& use : plan.units) {
    if (!window_.contains(use.cut->chunk())) plan.needed_bytes += use.decoded_bytes();
  }
}

}  // namespace sheaf::internal
