/// \file
/// What there is to measure about steps.

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

/// The data, as far as steps are measured by them. An order moves *items*: sequences, or frames.
class DataFacts {
 public:
  /// Pre:    the counts outlive it.
  /// Throws: what Counts throws, here and below.
  DataFacts(const Counts& counts, bool splits_frames);

  [[nodiscard]] std::int64_t chunk_count() const noexcept { return std::ssize(chunks_); }
  [[nodiscard]] std::int64_t unit_count() const noexcept { return unit_count_; }
  [[nodiscard]] std::int64_t sequence_count() const noexcept { return sequence_count_; }
  [[nodiscard]] std::int64_t sample_count() const noexcept { return sample_count_; }

  [[nodiscard]] bool is_frames() const noexcept { return is_frames_; }
  [[nodiscard]] std::int64_t item_count() const noexcept {
    return is_frames_ ? sample_count_ : sequence_count_;
  }

  /// Pre: the chunk exists, here and below.
  [[nodiscard]] const ChunkCounts& chunk(ChunkIndex chunk) const noexcept {
    return facts(chunk).counts;
  }

  /// Number of a sequence in the file, and of the unit that it lies in.
  [[nodiscard]] std::int64_t place(const SequenceRef& ref) const noexcept {
    return facts(ref.chunk).first_sequence + ref.sequence;
  }
  [[nodiscard]] std::int64_t unit(const SequenceRef& ref) const noexcept;

  /// Samples of a sequence.
  [[nodiscard]] std::int64_t length(const SequenceRef& ref);

  /// Its declared cost.
  ///
  /// Pre: the data declare costs.
  [[nodiscard]] std::int64_t cost(const SequenceRef& ref);

  /// The part of its chunk that a range of items is.
  [[nodiscard]] double share(const ChunkRange& range) const noexcept;

  /// Its samples: exactly those of one item, about those of more.
  [[nodiscard]] std::int64_t samples(const ChunkRange& range);

  /// Say that a step is over. What is not asked for during many of them is not kept.
  void tick();

 private:
  struct ChunkFacts {
    ChunkCounts counts;
    std::int64_t first_sequence = 0;  // in the file
    std::int64_t first_unit = 0;
    std::optional<ChunkSamples> samples;  // asked for when needed, here and below
    std::optional<ChunkSamples> costs;
    std::int64_t last_use = 0;  // tick
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

/// A number for each item; what minibatches draw from.
class Population {
 public:
  using Value = std::function<double(ChunkIndex, std::int64_t)>;

  /// The number of a sequence, NaN where it has none; without a function, its place in the file. A
  /// frame has that of its sequence.
  ///
  /// Pre:  both outlive it.
  /// Cost: a pass over all sequences, unless numbers are places of sequences.
  Population(DataFacts& data, const Value& value);

  [[nodiscard]] double mean() const noexcept { return mean_; }
  [[nodiscard]] double variance() const noexcept { return variance_; }

  [[nodiscard]] double value(const SequenceRef& ref) const {
    return value_ ? value_(ref.chunk, ref.sequence) : static_cast<double>(data_.place(ref));
  }

  /// The square of the distance of a minibatch's mean from that of all, over what a full shuffle
  /// without replacement makes of it; nothing where that is 0, or there are no numbers.
  [[nodiscard]] std::optional<double> squared_noise(double sum, std::int64_t count) const noexcept;

 private:
  void add(double value, double weight, double& squares) noexcept;

  const DataFacts& data_;
  const Value& value_;
  double count_ = 0;
  double mean_ = 0;
  double variance_ = 0;
};

/// What one worker does in one step.
struct StepFacts {
  std::int64_t sequences = 0;
  std::int64_t samples = 0;
  std::int64_t longest = 0;  // of sequences, or of pieces where they are cut
  std::int64_t cost = 0;     // where it is asked for, here and below
  std::int64_t costliest = 0;
  std::int64_t chunks = 0;  // that they lie in
  std::int64_t units = 0;
  double value_sum = 0;
  std::int64_t value_count = 0;
  std::int64_t foreign_sequences = 0;  // read for this step alone
  std::int64_t foreign_samples = 0;

  // The larger one of the windows before and after the step, and what the step alone needs.
  std::int64_t held_samples = 0;
  double held_bytes = 0;
};

/// Looks at the steps of a worker, one after the other.
///
/// Memory: 8 bytes for each chunk and unit, and what the worker holds.
class StepMeter {
 public:
  using ChunkBytes = std::function<double(ChunkIndex)>;

  /// Pre: all of them outlive it; population is null where values do not matter.
  StepMeter(DataFacts& data, const Population* population, const ChunkBytes& chunk_bytes,
            bool looks_at_costs = false);

  /// The next steps are another worker's, or begin elsewhere: nothing is held.
  void begin() noexcept;

  /// The next step of the worker.
  ///
  /// Throws: what check_interruption() throws.
  [[nodiscard]] StepFacts look(const OrderWalk::Next& next);

 private:
  struct Held {
    std::int64_t samples = 0;
    double bytes = 0;
    std::int64_t since = 0;  // the number of the step
  };

  void look_at_sequences(const Step& step, StepFacts& facts);
  void hold(const ChunkRange& range);
  void release(const ChunkRange& range, StepFacts& facts);
  void forget(std::map<ChunkRange, Held>::const_iterator entry);

  DataFacts& data_;
  const Population* population_;
  const ChunkBytes& chunk_bytes_;
  const bool looks_at_costs_;
  std::int64_t number_ = 0;                  // of the step
  std::vector<std::int64_t> last_of_chunk_;  // number of the last step that was there
  std::vector<std::int64_t> last_of_unit_;
  std::map<ChunkRange, Held> held_;
  std::int64_t held_samples_ = 0;
  double held_bytes_ = 0;
};

}  // namespace sheaf::internal
