/// \file
/// Measures the steps of an order.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "sheaf/extend/counts.h"
#include "sheaf/extend/sequencer.h"

#include "sequencer/order_parts.h"

namespace sheaf::internal {

/// The facts about the data that measuring steps needs. An order moves *items*: sequences, or
/// frames.
class DataFacts {
 public:
  /// Pre:    `counts` outlives the object.
  /// Throws: the exceptions of Counts, also from the functions below.
  DataFacts(const Counts& counts, bool splits_frames);

  [[nodiscard]] std::int64_t chunk_count() const noexcept { return std::ssize(chunks_); }
  [[nodiscard]] std::int64_t unit_count() const noexcept { return unit_count_; }
  [[nodiscard]] std::int64_t sequence_count() const noexcept { return sequence_count_; }
  [[nodiscard]] std::int64_t sample_count() const noexcept { return sample_count_; }

  [[nodiscard]] bool is_frames() const noexcept { return is_frames_; }
  [[nodiscard]] std::int64_t item_count() const noexcept {
    return is_frames_ ? sample_count_ : sequence_count_;
  }

  /// Pre: the chunk exists, also for the functions below.
  [[nodiscard]] const ChunkCounts& chunk(ChunkIndex chunk) const noexcept {
    return facts(chunk).counts;
  }

  /// Returns the number of a sequence in the file.
  [[nodiscard]] std::int64_t number_in_file(const SequenceRef& ref) const noexcept {
    return facts(ref.chunk).first_sequence + ref.sequence;
  }
  /// Returns the number of the unit of a sequence.
  [[nodiscard]] std::int64_t unit(const SequenceRef& ref) const noexcept;

  /// Returns the samples of a sequence.
  [[nodiscard]] std::int64_t length(const SequenceRef& ref);

  /// Returns the declared cost of a sequence.
  ///
  /// Pre: the data declare costs.
  [[nodiscard]] std::int64_t cost(const SequenceRef& ref);

  /// Returns the fraction of its chunk that a range of items makes up.
  [[nodiscard]] double share(const ChunkRange& range) const noexcept;

  /// Returns the samples of a range: exactly for one item, approximately for more.
  [[nodiscard]] std::int64_t samples(const ChunkRange& range);

  /// Ends a step. Tables that are not used during many steps are dropped.
  void tick();

 private:
  struct ChunkFacts {
    ChunkCounts counts;
    std::int64_t first_sequence = 0;  // number in the file
    std::int64_t first_unit = 0;
    std::optional<ChunkSamples> samples;  // null until needed, as `costs`
    std::optional<ChunkSamples> costs;
    std::int64_t last_use = 0;  // number of the step
  };

  [[nodiscard]] const ChunkFacts& facts(ChunkIndex chunk) const noexcept {
    return chunks_[static_cast<std::size_t>(chunk)];
  }

  const Counts& counts_;
  bool is_frames_;
  std::vector<ChunkFacts> chunks_;
  std::int64_t unit_count_ = 0;
  std::int64_t sequence_count_ = 0;
  std::int64_t sample_count_ = 0;
  std::int64_t now_ = 0;
};

/// The population that minibatches draw from: a number for each item.
class Population {
 public:
  using Value = std::function<double(ChunkIndex, std::int64_t)>;

  /// `value` returns the number of a sequence, or NaN if it has none. An empty function stands for
  /// the number of the sequence in the file. A frame has the number of its sequence.
  ///
  /// Pre:  `data` and `value` outlive the object.
  /// Cost: a pass over all sequences, unless `value` is empty and items are sequences.
  Population(DataFacts& data, const Value& value);

  [[nodiscard]] double mean() const noexcept { return mean_; }
  [[nodiscard]] double variance() const noexcept { return variance_; }

  [[nodiscard]] double value(const SequenceRef& ref) const {
    return value_ ? value_(ref.chunk, ref.sequence)
                  : static_cast<double>(data_.number_in_file(ref));
  }

  /// Returns the squared distance of a minibatch's mean from the population mean, divided by its
  /// expectation under a full shuffle without replacement. Returns nothing if that expectation is
  /// 0, or if the minibatch has no numbers.
  [[nodiscard]] std::optional<double> squared_noise(double sum, std::int64_t count) const noexcept;

 private:
  void add(double value, double weight, double& squares) noexcept;

  const DataFacts& data_;
  const Value& value_;
  double count_ = 0;
  double mean_ = 0;
  double variance_ = 0;
};

/// The measurements of one step of one worker.
struct StepFacts {
  std::int64_t sequences = 0;
  std::int64_t samples = 0;
  // Samples of the longest sequence, or of the longest piece if sequences are cut.
  std::int64_t longest = 0;
  std::int64_t cost = 0;  // if costs are measured, as costliest
  std::int64_t costliest = 0;
  std::int64_t chunks = 0;  // chunks of the sequences
  std::int64_t units = 0;
  double value_sum = 0;
  std::int64_t value_count = 0;
  std::int64_t foreign_sequences = 0;  // read for this step only
  std::int64_t foreign_samples = 0;

  // The larger of the windows before and after the step, plus the data held for the step only.
  std::int64_t held_samples = 0;
  double held_bytes = 0;
};

/// Measures the steps of a worker, one after the other.
///
/// Memory: 8 bytes for each chunk and unit, and an entry for each range that the worker holds.
class StepMeter {
 public:
  using ChunkBytes = std::function<double(ChunkIndex)>;

  /// Pre: all arguments outlive the object; `population` is null if values do not matter.
  StepMeter(DataFacts& data, const Population* population, const ChunkBytes& chunk_bytes,
            bool looks_at_costs = false);

  /// Holds nothing. Call it before the steps of another worker, or of another place.
  void begin() noexcept;

  /// Measures the next step of the worker.
  ///
  /// Throws: the exceptions of check_interruption().
  [[nodiscard]] StepFacts look(const OrderWalk::Next& next);

 private:
  struct Held {
    std::int64_t samples = 0;
    double bytes = 0;
    std::int64_t since = 0;  // number of the step that loaded the range
  };

  void look_at_sequences(const Step& step, StepFacts& facts);
  void hold(const ChunkRange& range);
  void release(const ChunkRange& range, StepFacts& facts);
  void forget(std::map<ChunkRange, Held>::const_iterator entry);

  DataFacts& data_;
  const Population* population_;
  const ChunkBytes& chunk_bytes_;
  const bool looks_at_costs_;
  std::int64_t number_ = 0;                  // of the current step
  std::vector<std::int64_t> last_of_chunk_;  // number of the last step with a sequence of the chunk
  std::vector<std::int64_t> last_of_unit_;
  std::map<ChunkRange, Held> held_;
  std::int64_t held_samples_ = 0;
  double held_bytes_ = 0;
};

}  // namespace sheaf::internal
