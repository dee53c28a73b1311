#include "sequencer/order_parts.h"

#include <algorithm>
#include <optional>

#include "sheaf/error.h"

#include "base/saturated.h"
#include "base/text.h"
#include "sequencer/exact_sizes.h"

namespace sheaf::internal {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kPlaceMax = kMax / 2;  // so that sums with places cannot overflow
constexpr std::int64_t kSizeMax = kMax / 2;
constexpr std::int64_t kWorkersMax = 1'000'000;  // balancing orders keep a load for each
constexpr std::int64_t kSlotsMax = 65'536;     // memory and positions hold the content of each slot
constexpr std::int64_t kStepsMax = 1'000'000;  // upper bound of the sequences in a slot at one time

void check_at_least(std::string_view name, std::int64_t value, std::int64_t least) {
  if (value >= least) return;
  throw ConfigError(formatted("{} must be at least {}: got {}", name, least, value));
}

// `empty` says what an option without a value means.
void check_positive(std::string_view name, std::optional<std::int64_t> value,
                    std::string_view empty) {
  if (value.value_or(1) >= 1) return;
  throw ConfigError(formatted("{} must be at least 1, or empty ({}): got {}", name, empty, *value));
}

void check_long_sequences(const OrderOptions& options) {
  if (options.long_sequences == LongSequences::error) return;
  const std::string_view word = to_string(options.long_sequences);
  if (!options.row_samples) {
    throw ConfigError(formatted(
        "long \"{}\" needs the length of a row: set row_samples or pad_length, or leave long out",
        word));
  }
  check_at_least("row_samples", *options.row_samples, 1);
  if (options.split_frames) {
    throw ConfigError(formatted(
        "long \"{}\" and split_frames exclude each other: no frame is longer than a row; leave one "
        "of them out",
        word));
  }
  if (options.truncation_length) {
    throw ConfigError(formatted(
        "long \"{}\" and truncation_length exclude each other: both say where sequences are cut; "
        "leave one of them out",
        word));
  }
  if (options.unit == MinibatchUnit::cost && options.long_sequences != LongSequences::drop) {
    throw ConfigError(formatted(
        "long \"{}\" and unit \"cost\" exclude each other: a cost belongs to a whole sequence; "
        "leave one of them out, or take long \"drop\"",
        word));
  }
}

}  // namespace

void check_order(const OrderOptions& options) {
  check_at_least("minibatch_size", options.minibatch_size, 1);
  check_positive("sweeps", options.sweeps, "endless");
  check_positive("epoch_size", options.epoch_size, "the sweeps say it");
  check_positive("epochs", options.epochs, "endless");
  check_at_least("worker_count", options.worker_count, 1);
  if (options.epoch_size.value_or(1) > kSizeMax) {
    throw ConfigError(
        formatted("epoch_size must be at most {}: got {}", kSizeMax, *options.epoch_size));
  }
  if (options.worker_count > kWorkersMax) {
    throw ConfigError(
        formatted("worker_count must be at most {}: got {}", kWorkersMax, options.worker_count));
  }
  if (options.worker_index < 0 || options.worker_index >= options.worker_count) {
    throw ConfigError(formatted("worker_index must be 0 to worker_count - 1, here {}: got {}",
                                options.worker_count - 1, options.worker_index));
  }
  if (options.split_frames && options.unit == MinibatchUnit::cost) {
    throw ConfigError(
        "split_frames and unit \"cost\" exclude each other: a cost belongs to a whole sequence; "
        "leave one of them out");
  }
  check_long_sequences(options);
  check_exact_sizes(options);
  if (options.algorithm == OrderAlgorithm::keyed) return;
  if (options.batching != Batching::plain) {
    throw ConfigError("batching: only the order \"keyed\" puts sequences of like length together");
  }
  if (options.balance != Balance::cost) {
    throw ConfigError("balance: only the order \"keyed\" balances workers");
  }
}

void check_unit(const Counts& counts, const OrderOptions& options) {
  if (options.unit != MinibatchUnit::cost) return;
  const CostMeasure measure = counts.cost_measure();
  if (!measure.name.empty()) return;
  throw ConfigError(formatted(
      "unit \"cost\": the data declare no cost of a sequence{}{}; leave unit out, or read "
      "data that declare one (docs/options.md)",
      measure.reason.empty() ? "" : ": ", measure.reason));
}

void check_truncation(const OrderOptions& options) {
  const std::int64_t length = options.truncation_length.value_or(0);
  check_at_least("truncation_length", length, 1);
  if (options.split_frames) {
    throw ConfigError(
        "truncation_length and split_frames exclude each other: a frame cannot be cut; leave one "
        "of them out");
  }
  if (options.batching != Batching::plain) {
    throw ConfigError(
        "truncation_length and batching exclude each other: slots go on with sequences of any "
        "length; leave one of them out");
  }
  if (options.unit != MinibatchUnit::samples) {
    throw ConfigError(
        "truncation_length: minibatch_size counts samples where sequences are cut; leave unit out");
  }
  if (length > kStepsMax) {
    throw ConfigError(formatted("truncation_length must be at most {}: got {}", kStepsMax, length));
  }
  if (truncated_slot_count(options) > kSlotsMax) {
    throw ConfigError(formatted(
        "minibatch_size {} makes {} slots of truncation_length {} for a worker, who can have {}: "
        "make minibatches smaller",
        options.minibatch_size, truncated_slot_count(options), length, kSlotsMax));
  }
  const std::int64_t slots = options.minibatch_size / length;
  if (options.worker_count > std::max<std::int64_t>(1, slots)) {
    throw ConfigError(formatted(
        "minibatch_size {} makes {} slots of truncation_length {}: too few for {} workers, which "
        "need one each; set a minibatch_size of {} or more",
        options.minibatch_size, std::max<std::int64_t>(1, slots), length, options.worker_count,
        saturated_product(options.worker_count, length)));
  }
}

void check_cuts(const Counts& counts, const OrderOptions& options) {
  const bool cuts_long = options.long_sequences == LongSequences::split ||
                         options.long_sequences == LongSequences::truncate;
  if ((!options.truncation_length && !cuts_long) || counts.can_be_cut()) return;
  const std::string option = cuts_long ? formatted("long \"{}\"", to_string(options.long_sequences))
                                       : std::string("truncation_length");
  throw ConfigError(formatted(
      "{} and lengths \"at_least\" exclude each other: samples behind the end of the first file "
      "belong to no piece; take lengths \"primary\", which leaves them out",
      option));
}

void check_window(const OrderOptions& options, std::string_view algorithm) {
  const bool has_chunks = options.window_chunks.has_value();
  if (has_chunks == options.window_samples.has_value()) {
    throw ConfigError(
        formatted("{}: the order \"{}\" takes one of window_chunks and window_samples",
                  has_chunks ? "two windows are set" : "no window is set", algorithm));
  }
  if (has_chunks) {
    check_at_least("window_chunks", *options.window_chunks, 1);
  } else {
    check_at_least("window_samples", *options.window_samples, 1);
  }
}

std::int64_t window_chunks_of(const OrderOptions& options) noexcept {
  return options.worker_count == 1 ? options.window_chunks.value_or(1) : 1;
}

std::pair<std::string, std::string> window_option_text(const OrderOptions& options) {
  if (options.window_chunks) return {"window_chunks", formatted("{}", *options.window_chunks)};
  return {"window_samples", formatted("{}", *options.window_samples)};
}

std::map<std::string, std::string> epoch_option_texts(const OrderOptions& options) {
  if (options.epoch_size) return {{"epoch_size", formatted("{}", *options.epoch_size)}};
  return {{"sweeps", formatted("{}", options.sweeps.value_or(0))}};  // 0 means endless
}

std::map<std::string, std::string> worker_option_texts(const OrderOptions& options) {
  if (options.worker_count == 1) return {};
  return {{"worker", formatted("{}/{}", options.worker_index, options.worker_count)},
          {"timeline", options.timeline == Timeline::local ? "local" : "global"}};
}

std::map<std::string, std::string> order_option_texts(const OrderOptions& options) {
  std::map<std::string, std::string> texts = epoch_option_texts(options);
  texts["minibatch_size"] = formatted("{}", options.minibatch_size);
  texts["unit"] = to_string(options.unit);
  texts["cut_at_sweep_end"] = options.sweep_ends == SweepEnds::cut ? "true" : "false";
  texts.merge(worker_option_texts(options));
  return texts;
}

void check_form(const Place& place) {
  const bool is_one = place.epoch >= 0 && place.sweep >= 0 && place.sequence >= 0 &&
                      place.sample >= 0 && place.epoch <= kPlaceMax && place.sweep <= kPlaceMax;
  if (is_one) return;
  throw ConfigError(
      formatted("position: no order has the place epoch {}, sweep {}, sequence {}, sample {}",
                place.epoch, place.sweep, place.sequence, place.sample));
}

void throw_beyond(const Place& place, std::int64_t sequence_count) {
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

ChunkSamples chunk_samples(const Counts& counts, ChunkIndex chunk, std::int64_t sequence_count) {
  ChunkSamples samples(counts.sample_counts(chunk));
  if (const std::int64_t size = samples.counts.size(); size != sequence_count) {
    throw InternalError(
        formatted("counts: chunk {} has {} sequences, but samples of {} are counted",
                  static_cast<std::int64_t>(chunk), sequence_count, size));
  }
  return samples;
}

ChunkSamples chunk_costs(const Counts& counts, ChunkIndex chunk, std::int64_t sequence_count) {
  const auto number = static_cast<std::int64_t>(chunk);
  std::optional<SampleCounts> found = counts.costs(chunk);
  const std::int64_t size = found ? found->size() : 0;
  if (size != sequence_count) {
    throw InternalError(formatted("counts: chunk {} has {} sequences, but costs of {} are declared",
                                  number, sequence_count, size));
  }
  ChunkSamples costs(*std::move(found));
  for (std::int64_t i = 0; i < (costs.constant ? std::min<std::int64_t>(size, 1) : size); ++i) {
    if (costs.counts[i] >= 0) continue;
    throw InternalError(
        formatted("counts: sequence {} of chunk {} has the cost {}: costs are not "
                  "negative",
                  i, number, costs.counts[i]));
  }
  return costs;
}

Step single_step(const Counts& counts, const SequenceRef& sequence, std::int64_t sequence_count) {
  const ChunkSamples samples = chunk_samples(counts, sequence.chunk, sequence_count);
  Step step;
  step.sequences.push_back(sequence);
  step.sample_count = samples.counts[sequence.sequence];
  return step;
}

ChunkRange unit_of(const Counts& counts, const SequenceRef& sequence) {
  __extension__ using Product = __int128;
  const std::optional<ChunkCounts> chunk = counts.chunk_counts(sequence.chunk);
  if (!chunk || chunk->unit_count <= 1) return {sequence.chunk};
  const std::int64_t count = chunk->sequence_count;
  const std::int64_t units = chunk->unit_count;
  // Unit j begins with sequence j * count / units, rounded down.
  const auto unit = static_cast<std::int64_t>((Product{sequence.sequence + 1} * units - 1) / count);
  const auto first = static_cast<std::int64_t>(Product{unit} * count / units);
  const auto end = static_cast<std::int64_t>(Product{unit + 1} * count / units);
  return {sequence.chunk, first, end - first};
}

void name_sweep(Step& step, std::size_t first, std::int64_t sweep) {
  const std::size_t end = step.sequences.size();
  if (first == end) return;
  if (first == 0) step.sweep = sweep;
  if (step.sweeps.empty() && sweep == step.sweep) return;
  step.sweeps.resize(first, step.sweep);
  step.sweeps.resize(end, sweep);
}

Request request_of(const OrderOptions& options) noexcept {
  const std::int64_t size = options.minibatch_size;
  if (options.timeline == Timeline::global) return {size, size};
  const std::int64_t more = size % options.worker_count > options.worker_index ? 1 : 0;
  return {kMax, std::max<std::int64_t>(1, size / options.worker_count + more)};
}

std::int64_t Epochs::end_in_sweep(std::int64_t epoch, std::int64_t sweep,
                                  std::int64_t sweep_samples) const {
  if (size_ > 0) {
    if (sweep > 0 && sweep_samples == 0) {
      throw ConfigError(formatted(
          "epoch_size: the data have no samples, so an epoch of {} would never end", size_));
    }
    const std::int64_t end = saturated_product(size_, epoch + 1);
    const std::int64_t before = saturated_product(sweep, sweep_samples);
    if (end == kMax || before == kMax) return kNever;
    return std::max<std::int64_t>(0, end - before);
  }
  if (sweeps_ == 0) return kNever;
  return sweep >= saturated_product(sweeps_, epoch + 1) ? 0 : kNever;
}

std::int64_t Epochs::epoch_of(std::int64_t sweep, std::int64_t sample,
                              std::int64_t sweep_samples) const noexcept {
  if (size_ > 0) return (saturated_product(sweep, sweep_samples) + sample) / size_;
  return sweeps_ > 0 ? sweep / sweeps_ : 0;
}

void Epochs::check_begins(const Place& place) const {
  if (!is_over(place.epoch)) return;
  throw ConfigError(
      formatted("position: the run is over before it: epoch {} lies beyond the last of {}",
                place.epoch, count_));
}

void Epochs::check(const Place& place, std::int64_t sweep_samples) const {
  const bool is_behind_last = count_ > 0 && place.epoch > count_;
  const bool is_behind_epoch = size_ == 0 && sweeps_ > 0 && !is_over(place.epoch) &&
                               place.sweep >= saturated_product(sweeps_, place.epoch + 1);
  const bool is_before_epoch =
      place.epoch > 0 && place.sample < end_in_sweep(place.epoch - 1, place.sweep, sweep_samples);
  if (is_behind_last) {
    throw ConfigError(
        formatted("position: epoch {} lies beyond the last of {} epochs", place.epoch, count_));
  }
  if (is_before_epoch || is_behind_epoch) {
    throw ConfigError(formatted("position: sweep {}, sequence {}, sample {} lies {} epoch {}",
                                place.sweep, place.sequence, place.sample,
                                is_before_epoch ? "before" : "behind", place.epoch));
  }
}

}  // namespace sheaf::internal
