#include "sequencer/step_meter.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "sheaf/extend/interruption.h"

#include "base/saturated.h"

namespace sheaf::internal {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kKeptTicks = 1000;

double number(std::int64_t value) noexcept { return static_cast<double>(value); }

}  // namespace

DataFacts::DataFacts(const Counts& counts, bool splits_frames)
    : counts_(counts), is_frames_(splits_frames) {
  for (ChunkIndex chunk{0};; chunk = next(chunk)) {
    const std::optional<ChunkCounts> found = counts.chunk_counts(chunk);
    if (!found) break;
    chunks_.push_back({*found, sequence_count_, unit_count_, {}, {}, 0});
    sequence_count_ += found->sequence_count;
    sample_count_ += found->sample_count;
    unit_count_ += found->unit_count;
  }
}

std::int64_t DataFacts::unit(const SequenceRef& ref) const noexcept {
  const ChunkFacts& chunk = facts(ref.chunk);
  const Wide end = Wide{ref.sequence + 1} * chunk.counts.unit_count;
  return chunk.first_unit + static_cast<std::int64_t>((end - 1) / chunk.counts.sequence_count);
}

std::int64_t DataFacts::length(const SequenceRef& ref) {
  ChunkFacts& chunk = chunks_[static_cast<std::size_t>(ref.chunk)];
  if (!chunk.samples) {
    chunk.samples = chunk_samples(counts_, ref.chunk, chunk.counts.sequence_count);
  }
  chunk.last_use = now_;
  return chunk.samples->constant ? *chunk.samples->constant : chunk.samples->counts[ref.sequence];
}

std::int64_t DataFacts::cost(const SequenceRef& ref) {
  ChunkFacts& chunk = chunks_[static_cast<std::size_t>(ref.chunk)];
  if (!chunk.costs) chunk.costs = chunk_costs(counts_, ref.chunk, chunk.counts.sequence_count);
  chunk.last_use = now_;
  return chunk.costs->counts[ref.sequence];
}

double DataFacts::share(const ChunkRange& range) const noexcept {
  const ChunkCounts& counts = chunk(range.chunk);
  const std::int64_t all = is_frames_ ? counts.sample_count : counts.sequence_count;
  if (all == 0) return 0;
  return number(std::min(range.count, all - range.first)) / number(all);
}

std::int64_t DataFacts::samples(const ChunkRange& range) {
  if (range.count == 1) return is_frames_ ? 1 : length({range.chunk, range.first});
  return std::llround(share(range) * number(chunk(range.chunk).sample_count));
}

void DataFacts::tick() {
  if (++now_ % kKeptTicks != 0) return;
  for (ChunkFacts& chunk : chunks_) {
    if (chunk.last_use >= now_ - kKeptTicks) continue;
    chunk.samples.reset();
    chunk.costs.reset();
  }
}

Population::Population(DataFacts& data, const Value& value) : data_(data), value_(value) {
  const double all = number(data.item_count());
  if (!value_ && !data.is_frames()) {  // the values are 0, 1, 2, ...
    count_ = all;
    mean_ = (all - 1) / 2;
    variance_ = (all * all - 1) / 12;
    return;
  }
  double squares = 0;
  for (ChunkIndex chunk{0}; chunk < ChunkIndex{data.chunk_count()}; chunk = next(chunk)) {
    const std::int64_t sequences = data.chunk(chunk).sequence_count;
    for (std::int64_t i = 0; i < sequences; ++i) {
      const SequenceRef ref{chunk, i};
      add(this->value(ref), data.is_frames() ? number(data.length(ref)) : 1, squares);
    }
  }
  if (count_ > 0) variance_ = squares / count_;
}

// Updates mean and variance step by step. A plain sum of squares would lose the differences between
// large numbers.
void Population::add(double value, double weight, double& squares) noexcept {
  if (std::isnan(value) || weight == 0) return;
  count_ += weight;
  const double distance = value - mean_;
  mean_ += distance * weight / count_;
  squares += weight * distance * (value - mean_);
}

std::optional<double> Population::squared_noise(double sum, std::int64_t count) const noexcept {
  const double size = number(count);
  if (count == 0 || size >= count_ || variance_ <= 0) return {};
  const double expected = variance_ / size * (count_ - size) / (count_ - 1);
  const double distance = sum / size - mean_;
  return distance * distance / expected;
}

StepMeter::StepMeter(DataFacts& data, const Population* population, const ChunkBytes& chunk_bytes,
                     bool looks_at_costs)
    : data_(data),
      population_(population),
      chunk_bytes_(chunk_bytes),
      looks_at_costs_(looks_at_costs),
      last_of_chunk_(static_cast<std::size_t>(data.chunk_count())),
      last_of_unit_(static_cast<std::size_t>(data.unit_count())) {}

void StepMeter::begin() noexcept {
  held_.clear();
  held_samples_ = 0;
  held_bytes_ = 0;
}

StepFacts StepMeter::look(const OrderWalk::Next& next) {
  const Step& step = next.step;
  check_interruption();
  ++number_;
  StepFacts facts;
  facts.sequences = std::ssize(step.sequences);
  facts.samples = step.sample_count;
  look_at_sequences(step, facts);
  const std::int64_t samples_before = held_samples_;
  const double bytes_before = held_bytes_;
  for (const ChunkRange& range : next.load) hold(range);
  for (const ChunkRange& range : next.release) release(range, facts);
  facts.held_samples += std::max(samples_before, held_samples_);
  facts.held_bytes += std::max(bytes_before, held_bytes_);
  data_.tick();
  return facts;
}

void StepMeter::look_at_sequences(const Step& step, StepFacts& facts) {
  const bool has_slices = !step.slices.empty();
  for (std::size_t i = 0; i < step.sequences.size(); ++i) {
    const SequenceRef& ref = step.sequences[i];
    facts.longest = std::max(facts.longest, has_slices ? step.slices[i].count : data_.length(ref));
    if (looks_at_costs_) {
      const std::int64_t cost = data_.cost(ref);
      facts.cost = saturated_sum(facts.cost, cost);
      facts.costliest = std::max(facts.costliest, cost);
    }
    std::int64_t& of_chunk = last_of_chunk_[static_cast<std::size_t>(ref.chunk)];
    if (of_chunk != number_) ++facts.chunks;
    of_chunk = number_;
    std::int64_t& of_unit = last_of_unit_[static_cast<std::size_t>(data_.unit(ref))];
    if (of_unit != number_) ++facts.units;
    of_unit = number_;
    if (population_ == nullptr) continue;
    const double value = population_->value(ref);
    if (std::isnan(value)) continue;
    facts.value_sum += value;
    ++facts.value_count;
  }
}

void StepMeter::hold(const ChunkRange& range) {
  const auto [entry, is_new] = held_.try_emplace(range);
  if (!is_new) return;
  Held& held = entry->second;
  held.samples = data_.samples(range);
  held.bytes = chunk_bytes_ ? chunk_bytes_(range.chunk) * data_.share(range) : 0;
  held.since = number_;
  held_samples_ += held.samples;
  held_bytes_ += held.bytes;
}

// A range of one sequence that is held for this step only belongs to another worker, since a
// worker's own data stay longer. The last sequences of a sweep are an exception: few units are left
// then, and several may come and go in one step.
void StepMeter::release(const ChunkRange& range, StepFacts& facts) {
  const auto found = held_.find(range);
  const bool is_foreign =
      range.count == 1 && (found == held_.end() || found->second.since == number_);
  if (is_foreign) {
    ++facts.foreign_sequences;
    facts.foreign_samples += data_.samples(range);
  }
  if (found == held_.end()) return;
  if (found->second.since == number_) {  // held for this step only
    facts.held_samples += found->second.samples;
    facts.held_bytes += found->second.bytes;
  }
  forget(found);
}

void StepMeter::forget(std::map<ChunkRange, Held>::const_iterator entry) {
  held_samples_ -= entry->second.samples;
  held_bytes_ -= entry->second.bytes;
  held_.erase(entry);
}

}  // namespace sheaf::internal
