// The workers are planned one after the other, so only one sequencer exists at a time. Numbers over
// all workers are added up by epoch and step, since a worker that has finished an epoch waits for
// the others.
//
// "keyed" delivers the same minibatches for any number of workers. So its minibatches are measured
// with one worker, which plans each of them once. That saves enough time for a whole sweep, or for
// the beginnings of several sweeps if one sweep is too long. The workers are measured separately.

#include "sheaf/extend/order_report.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <compare>
#include <cstddef>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/saturated.h"
#include "sequencer/mixture/mixture_report.h"
#include "sequencer/order_parts.h"
#include "sequencer/piece_sequencer.h"
#include "sequencer/pieces.h"
#include "sequencer/step_meter.h"
#include "sequencer/unit_map.h"

namespace sheaf {
namespace {

using internal::DataFacts;
using internal::PieceRule;
using internal::Pieces;
using internal::Population;
using internal::StepFacts;
using internal::StepMeter;

constexpr std::int64_t kStepsMin = 1000;  // at least, even if a sweep has fewer
constexpr std::int64_t kStepsFew = 8;     // at least, even of very many workers
constexpr std::int64_t kWorkersFew = 4;
constexpr std::int64_t kStretches = 16;  // if a sweep is too long to be measured

// The cost of planning a unit under "keyed", in sequences. "keyed" looks at each present unit 32
// times a lap.
constexpr std::int64_t kUnitCost = 4;
constexpr std::int64_t kLooks = 32;

double number(std::int64_t value) noexcept { return static_cast<double>(value); }

double ratio(std::int64_t part, std::int64_t all) noexcept {
  return all > 0 ? number(part) / number(all) : 0;
}

/// Sums over the minibatches that have a sequence.
class MinibatchSums {
 public:
  void add(const StepFacts& facts, const Population& population) {
    if (facts.sequences == 0) return;
    ++report_.steps;
    sequences_ += facts.sequences;
    samples_ += facts.samples;
    cost_ = internal::saturated_sum(cost_, facts.cost);
    padded_ += facts.sequences * facts.longest;
    chunks_ += facts.chunks;
    units_ += facts.units;
    add_noise(population.squared_noise(facts.value_sum, facts.value_count));
  }

  void add_noise(const std::optional<double>& squared) noexcept {
    if (!squared) return;
    squared_noise_ += *squared;
    ++noise_count_;
  }

  [[nodiscard]] MinibatchReport report(bool has_costs) const noexcept {
    MinibatchReport report = report_;
    if (has_costs) report.cost = ratio(cost_, report.steps);
    report.sequences = ratio(sequences_, report.steps);
    report.samples = ratio(samples_, report.steps);
    report.chunks = ratio(chunks_, report.steps);
    report.units = ratio(units_, report.steps);
    report.noise = noise();
    return report;
  }
  [[nodiscard]] std::optional<double> noise() const noexcept {
    if (noise_count_ == 0) return {};
    return std::sqrt(squared_noise_ / number(noise_count_));
  }
  [[nodiscard]] double padding() const noexcept {
    return padded_ > 0 ? 1 - ratio(samples_, padded_) : 0;
  }

  void set_stretches(std::int64_t count) noexcept { report_.stretches = count; }

 private:
  MinibatchReport report_;
  std::int64_t sequences_ = 0;
  std::int64_t samples_ = 0;
  std::int64_t cost_ = 0;
  std::int64_t padded_ = 0;
  std::int64_t chunks_ = 0;
  std::int64_t units_ = 0;
  std::int64_t noise_count_ = 0;
  double squared_noise_ = 0;
};

/// Sums over the measured workers of what they do in one step. The load of a sequence is its
/// samples, or its cost if minibatches count costs.
struct StepTotals {
  std::int64_t sequences = 0;
  std::int64_t samples = 0;
  std::int64_t load = 0;
  double mean = 0;  // load of a worker
  std::int64_t most = 0;
  std::int64_t longest = 0;  // largest load of a sequence
  std::int64_t busy = 0;     // workers that have a sequence
  double value_sum = 0;
  std::int64_t value_count = 0;
  std::int64_t held_samples = 0;

  void add(const StepFacts& facts, bool has_costs) noexcept {
    const std::int64_t own_load = has_costs ? facts.cost : facts.samples;
    sequences += facts.sequences;
    samples += facts.samples;
    load = internal::saturated_sum(load, own_load);
    most = std::max(most, own_load);
    longest = std::max(longest, has_costs ? facts.costliest : facts.longest);
    busy += facts.sequences > 0 ? 1 : 0;
    value_sum += facts.value_sum;
    value_count += facts.value_count;
    held_samples += facts.held_samples;
  }
};

/// The number of a step of a run.
struct StepNumber {
  std::int64_t epoch = 0;
  std::int64_t step = 0;  // within the epoch

  friend auto operator<=>(const StepNumber&, const StepNumber&) = default;  // NOLINT: no null
};

class OrderMeter {
 public:
  OrderMeter(std::shared_ptr<const Counts> counts, const OrderOptions& order,
             const OrderReportOptions& options)
      : counts_(std::move(counts)),
        order_(order),
        options_(options),
        data_(*counts_, order.split_frames),
        population_(data_, options.value),
        meter_(data_, &population_, options.chunk_bytes, has_costs()) {
    const Mixture* const mixture = counts_->mixture();
    const bool may_fail = mixture != nullptr && mixture->options.exhausted == Exhausted::error;
    order_.epochs = may_fail ? std::optional<std::int64_t>(1) : std::nullopt;
  }

  [[nodiscard]] OrderReport measure();

 private:
  [[nodiscard]] bool has_costs() const noexcept { return order_.unit == MinibatchUnit::cost; }
  void add_costs(OrderReport& report) const;
  [[nodiscard]] bool is_keyed() const noexcept {
    return order_.algorithm == OrderAlgorithm::keyed && !order_.truncation_length;
  }
  [[nodiscard]] std::int64_t sequences_of_step() const noexcept;
  [[nodiscard]] double window_part() const noexcept;
  void set_costs();
  void set_extent();
  [[nodiscard]] std::int64_t fitting_steps(double cost) const noexcept;

  void look_at_workers();
  void look_at_whole_steps();
  [[nodiscard]] StepNumber look_at_worker(std::int64_t index, const StepNumber* end);
  [[nodiscard]] MinibatchReport minibatches_of_keyed();
  [[nodiscard]] MinibatchReport minibatches_together() const;
  void add_balance(OrderReport& report) const;
  void add_reading(OrderReport& report) const;

  const std::shared_ptr<const Counts> counts_;
  OrderOptions order_;
  const OrderReportOptions& options_;
  DataFacts data_;
  const Population population_;
  StepMeter meter_;

  double first_cost_ = 0;
  double step_cost_ = 0;
  std::int64_t sweep_steps_ = 0;  // approximate
  std::int64_t cost_ = 0;         // of a sweep, if minibatches count costs
  std::int64_t wanted_steps_ = 0;
  std::int64_t steps_ = 0;    // of each worker
  std::int64_t workers_ = 0;  // that are measured

  std::vector<std::vector<StepTotals>> totals_;  // [epoch][step]
  MinibatchSums minibatches_;                    // of each worker
  std::int64_t foreign_sequences_ = 0;
  std::int64_t foreign_samples_ = 0;
  std::int64_t held_samples_ = 0;  // maximum
  double held_bytes_ = 0;
};

// Estimates how many sequences a step has, of all workers together.
std::int64_t OrderMeter::sequences_of_step() const noexcept {
  const std::int64_t size = order_.minibatch_size;
  if (order_.unit == MinibatchUnit::sequences) return std::min(size, data_.item_count());
  const double length =
      std::max(1.0, ratio(has_costs() ? cost_ : data_.sample_count(), data_.item_count()));
  const auto fitting = static_cast<std::int64_t>(number(size) / length);
  return std::clamp<std::int64_t>(fitting, 1, data_.item_count());
}

// Estimates the fraction of the data that a window has.
double OrderMeter::window_part() const noexcept {
  const double part = order_.window_chunks ? ratio(*order_.window_chunks, data_.chunk_count())
                                           : ratio(*order_.window_samples, data_.sample_count());
  return std::min(1.0, part);
}

// Estimates the cost of planning, in sequences: of the time before the first step, and of a step.
void OrderMeter::set_costs() {
  const double items = number(data_.item_count());
  step_cost_ = number(sequences_of_step());
  if (order_.algorithm == OrderAlgorithm::cntk) first_cost_ = window_part() * items;
  if (order_.algorithm != OrderAlgorithm::keyed) return;
  const std::int64_t units = internal::UnitMap(*counts_).unit_count();
  first_cost_ = number(units * kUnitCost);
  const double looks = window_part() < 1 ? kLooks : 1;
  step_cost_ *= 1 + looks * first_cost_ / items;
}

void OrderMeter::set_extent() {
  set_costs();
  const double count = number(order_.worker_count);
  const double planned = number(options_.planned_max);
  sweep_steps_ = std::max<std::int64_t>(1, data_.item_count() / sequences_of_step());
  wanted_steps_ = options_.steps_max > 0 ? options_.steps_max : std::max(kStepsMin, sweep_steps_);
  steps_ = fitting_steps(planned / count - first_cost_);
  const double fitting = planned / (first_cost_ + number(steps_) * step_cost_);
  // Planning a little more is better than leaving a worker out.
  workers_ = order_.worker_count;
  if (2 * fitting < count) {
    const std::int64_t few = std::min(kWorkersFew, workers_);
    workers_ = std::max(few, static_cast<std::int64_t>(fitting));
  }
}

std::int64_t OrderMeter::fitting_steps(double cost) const noexcept {
  const double fitting = std::max(number(kStepsFew), cost / step_cost_);
  return fitting < number(wanted_steps_) ? static_cast<std::int64_t>(fitting) : wanted_steps_;
}

void OrderMeter::look_at_workers() {
  StepNumber end;
  for (std::int64_t i = 0; i < workers_; ++i) {
    const std::int64_t index = i == 0 ? 0 : i * (order_.worker_count - 1) / (workers_ - 1);
    if (i == 0) {
      end = look_at_worker(index, nullptr);
    } else {
      static_cast<void>(look_at_worker(index, &end));
    }
  }
  for (std::vector<StepTotals>& epoch : totals_) {
    for (StepTotals& step : epoch) step.mean = ratio(step.load, workers_);
  }
  if (is_keyed() && workers_ < order_.worker_count) look_at_whole_steps();
}

// Measures the whole steps of "keyed", if only some workers were measured. The slowest worker has
// at least the mean load, and at least the largest load of a sequence.
void OrderMeter::look_at_whole_steps() {
  OrderOptions one = order_;
  one.worker_index = 0;
  one.worker_count = 1;
  const std::unique_ptr<Sequencer> sequencer = make_sequencer(counts_, one);
  meter_.begin();
  OrderWalk walk(*sequencer);
  for (std::vector<StepTotals>& epoch : totals_) {
    for (StepTotals& totals : epoch) {
      const std::optional<OrderWalk::Next> step = walk.next();
      if (!step) return;
      const StepFacts facts = meter_.look(*step);
      totals.mean = ratio(has_costs() ? facts.cost : facts.samples, order_.worker_count);
      totals.longest = has_costs() ? facts.costliest : facts.longest;
      const auto mean = static_cast<std::int64_t>(std::ceil(totals.mean));
      totals.most = std::max({totals.most, totals.longest, mean});
    }
  }
}

// Measures the steps of a worker up to `end`, or fewer if the run ends before. Without `end`,
// measures steps_ steps.
StepNumber OrderMeter::look_at_worker(std::int64_t index, const StepNumber* end) {
  order_.worker_index = index;
  const std::unique_ptr<Sequencer> sequencer = make_sequencer(counts_, order_);
  meter_.begin();
  OrderWalk walk(*sequencer);
  StepNumber at;
  for (std::int64_t taken = 0; end == nullptr ? taken < steps_ : at < *end; ++taken) {
    const std::optional<OrderWalk::Next> step = walk.next();
    if (!step) break;
    const StepFacts facts = meter_.look(*step);
    minibatches_.add(facts, population_);
    foreign_sequences_ += facts.foreign_sequences;
    foreign_samples_ += facts.foreign_samples;
    held_samples_ = std::max(held_samples_, facts.held_samples);
    held_bytes_ = std::max(held_bytes_, facts.held_bytes);
    const auto epoch = static_cast<std::size_t>(at.epoch);
    const auto number_of_step = static_cast<std::size_t>(at.step);
    if (totals_.size() <= epoch) totals_.resize(epoch + 1);
    if (totals_[epoch].size() <= number_of_step) totals_[epoch].resize(number_of_step + 1);
    totals_[epoch][number_of_step].add(facts, has_costs());
    at = step->step.ends_epoch ? StepNumber{at.epoch + 1, 0} : StepNumber{at.epoch, at.step + 1};
  }
  return at;
}

// Measures the minibatches of "keyed", which are the same for any number of workers. Each stretch
// lies in another sweep, so no step is measured twice.
MinibatchReport OrderMeter::minibatches_of_keyed() {
  OrderOptions one = order_;
  one.worker_index = 0;
  one.worker_count = 1;
  const double planned = number(options_.planned_max);
  const std::int64_t steps = fitting_steps(planned - first_cost_);
  std::int64_t stretches = 1;
  const bool may_jump = !order_.split_frames && counts_->mixture() == nullptr;
  if (steps < sweep_steps_ && may_jump && data_.sample_count() > 0) {
    const double fitting = std::min(planned / first_cost_, number(std::min(kStretches, steps)));
    stretches = std::max<std::int64_t>(1, static_cast<std::int64_t>(fitting));
  }
  const std::unique_ptr<Sequencer> sequencer = make_sequencer(counts_, one);
  MinibatchSums sums;
  sums.set_stretches(stretches);
  for (std::int64_t i = 0; i < stretches; ++i) {
    meter_.begin();
    OrderWalk walk(*sequencer, i == 0 ? Place{} : sequencer->place_of(i * data_.sample_count()));
    const std::int64_t count = steps / stretches + (i < steps % stretches ? 1 : 0);
    for (std::int64_t taken = 0; taken < count; ++taken) {
      const std::optional<OrderWalk::Next> step = walk.next();
      if (!step) break;
      sums.add(meter_.look(*step), population_);
    }
  }
  return sums.report(has_costs());
}

// Pre: all workers were measured.
MinibatchReport OrderMeter::minibatches_together() const {
  MinibatchReport report = minibatches_.report(has_costs());
  if (order_.worker_count == 1) return report;
  report = {};
  MinibatchSums sums;
  std::int64_t sequences = 0;
  std::int64_t samples = 0;
  std::int64_t cost = 0;
  for (const std::vector<StepTotals>& epoch : totals_) {
    for (const StepTotals& step : epoch) {
      if (step.sequences > 0) ++report.steps;
      sequences += step.sequences;
      samples += step.samples;
      cost = internal::saturated_sum(cost, step.load);
      sums.add_noise(population_.squared_noise(step.value_sum, step.value_count));
    }
  }
  const double more = ratio(order_.worker_count, workers_);
  report.sequences = ratio(sequences, report.steps) * more;
  report.samples = ratio(samples, report.steps) * more;
  if (has_costs()) report.cost = ratio(cost, report.steps) * more;
  if (workers_ == order_.worker_count) report.noise = sums.noise();
  return report;
}

void OrderMeter::add_balance(OrderReport& report) const {
  std::int64_t with_load = 0;
  for (const std::vector<StepTotals>& epoch : totals_) {
    for (const StepTotals& step : epoch) {
      if (step.sequences == 0) continue;
      ++report.steps;
      if (step.busy < workers_) ++report.idle_steps;
      if (step.load == 0) continue;
      ++with_load;
      report.excess += number(step.most) / step.mean - 1;
      report.excess_over_longest +=
          number(step.most) / std::max(step.mean, number(step.longest)) - 1;
    }
  }
  if (with_load == 0) return;
  report.excess /= number(with_load);
  report.excess_over_longest /= number(with_load);
}

void OrderMeter::add_reading(OrderReport& report) const {
  std::int64_t sequences = 0;
  std::int64_t samples = 0;
  for (const std::vector<StepTotals>& epoch : totals_) {
    for (const StepTotals& step : epoch) {
      sequences += step.sequences;
      samples += step.samples;
      report.held_samples_of_all = std::max(report.held_samples_of_all, step.held_samples);
    }
  }
  report.held_samples_of_all =
      std::llround(number(report.held_samples_of_all) * ratio(order_.worker_count, workers_));
  report.held_samples = held_samples_;
  if (options_.chunk_bytes) report.held_bytes = held_bytes_;
  if (order_.algorithm == OrderAlgorithm::file) {
    report.foreign_sequences = report.foreign_samples = number(order_.worker_count - 1);
  } else if (order_.algorithm == OrderAlgorithm::keyed && order_.worker_count > 1) {
    report.foreign_sequences = ratio(foreign_sequences_, sequences);
    report.foreign_samples = ratio(foreign_samples_, samples);
  }
}

void OrderMeter::add_costs(OrderReport& report) const {
  if (!has_costs()) return;
  report.cost = cost_;
  report.cost_name = counts_->cost_measure().name;
}

OrderReport OrderMeter::measure() {
  for (ChunkIndex chunk{}; has_costs() && chunk < ChunkIndex{data_.chunk_count()};
       chunk = next(chunk)) {
    cost_ = internal::saturated_sum(cost_, counts_->chunk_cost(chunk));
  }
  OrderReport report{.chunks = data_.chunk_count(),
                     .units = data_.unit_count(),
                     .sequences = data_.item_count(),
                     .samples = data_.sample_count()};
  add_costs(report);
  if (data_.item_count() == 0) return report;
  if (!order_.truncation_length) {
    report.mixture = internal::measure_mixture(counts_, order_, options_.planned_max);
  }
  set_extent();
  report.workers = workers_;
  look_at_workers();
  report.worker = minibatches_.report(has_costs());
  report.all = is_keyed() ? minibatches_of_keyed() : minibatches_together();
  add_balance(report);
  add_reading(report);
  if (!order_.truncation_length) {
    report.padding = minibatches_.padding();
  } else {
    report.worker.noise = report.all.noise = std::nullopt;
  }
  return report;
}

/// The values of pieces. A piece has the value of its sequence.
class PieceValues {
 public:
  PieceValues(std::shared_ptr<const Counts> counts, const PieceRule& rule, Population::Value value)
      : counts_(std::move(counts)), rule_(rule), value_(std::move(value)) {}

  [[nodiscard]] double operator()(ChunkIndex chunk, std::int64_t piece) {
    auto found = pieces_.find(chunk);
    if (found == pieces_.end()) {
      found = pieces_.try_emplace(chunk, rule_, counts_->sample_counts(chunk)).first;
    }
    static_cast<void>(found->second.replace(piece));
    return value_(chunk, piece);
  }

 private:
  std::shared_ptr<const Counts> counts_;
  PieceRule rule_;
  Population::Value value_;
  std::unordered_map<ChunkIndex, Pieces> pieces_;
};

// Measures the pieces as a data set of their own.
OrderReport measure_pieces(const std::shared_ptr<const Counts>& counts, const OrderOptions& order,
                           const OrderReportOptions& options) {
  const PieceRule rule = *internal::piece_rule(order);
  OrderOptions of_pieces = order;
  of_pieces.long_sequences = LongSequences::error;
  OrderReportOptions with_values = options;
  if (options.value) with_values.value = PieceValues(counts, rule, options.value);
  OrderReport report = OrderMeter(std::make_shared<const internal::PieceCounts>(counts, rule),
                                  of_pieces, with_values)
                           .measure();
  report.long_sequences = count_long_sequences(*counts, order);
  return report;
}

}  // namespace

LongReport count_long_sequences(const Counts& counts, const OrderOptions& order) {
  internal::check_order(order);
  const std::optional<PieceRule> rule = internal::piece_rule(order);
  const bool looks_at_lengths = rule && !rule->is_frames();
  LongReport report;
  for (ChunkIndex chunk{};; chunk = next(chunk)) {
    const std::optional<ChunkCounts> found = counts.chunk_counts(chunk);
    if (!found) return report;
    report.of_sequences += found->sequence_count;
    report.of_samples += found->sample_count;
    if (!looks_at_lengths || rule->is_whole(found->sample_count)) continue;
    const SampleCounts samples = counts.sample_counts(chunk);
    for (std::int64_t i = 0; i < samples.size(); ++i) {
      if (rule->is_whole(samples[i])) continue;
      ++report.sequences;
      report.pieces += rule->count(samples[i]);
      report.left_out_samples += samples[i] - rule->kept_samples(samples[i]);
    }
  }
}

OrderReport measure_order(const std::shared_ptr<const Counts>& counts, const OrderOptions& order,
                          const OrderReportOptions& options) {
  assert(counts != nullptr);
  OrderOptions checked = order;
  checked.worker_index = 0;
  static_cast<void>(make_sequencer(counts, checked));
  if (order.long_sequences != LongSequences::error) return measure_pieces(counts, order, options);
  return OrderMeter(counts, order, options).measure();
}

}  // namespace sheaf
