/// \file
/// Decides which sequences form the next minibatch.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/counts.h"
#include "sheaf/order.h"
#include "sheaf/position.h"
#include "sheaf/types.h"

namespace sheaf {

/// The place of a sequence in the index.
struct SequenceRef {
  ChunkIndex chunk{};
  std::int64_t sequence = 0;  // the number within the chunk

  friend bool operator==(const SequenceRef&, const SequenceRef&) = default;
};

/// The plan of one minibatch.
struct Step {
  std::vector<SequenceRef> sequences{};  // in the order of delivery
  std::vector<SampleRange> slices{};     // one for each sequence; empty where all are whole
  std::vector<std::int64_t> slots{};     // one for each sequence, of orders that give slots
  std::int64_t sample_count = 0;         // of all sequences, by the counts
  bool ends_sweep = false;               // whether the last sequence of a sweep is in the step
  bool ends_epoch = false;               // whether the epoch ends with the step

  // Advice about memory, relative to the step before. `load` has the ranges that enter the window
  // with this step: the reader holds them until they are released. `release` has the ranges that
  // are not needed after this step. Other sequences are read, delivered and dropped. A range that
  // is loaded again is read again. Ranges may share a sequence at their ends. A range is released
  // under the same name, or with its whole chunk. A range that one step loads and releases is held
  // for that step alone. Sequences in a held range are read in the chunk's units, clipped to the
  // range.
  std::vector<ChunkRange> load{};
  std::vector<ChunkRange> release{};

  Place next{};  // the place after the step
};

/// Decides the order. The sequences of a step depend on the counts, the options and the place
/// alone: a sequencer looks at no files and no clock, and what it keeps between calls is only a
/// cache.
///
/// The plan never depends on values: a bad sequence leaves a hole in its minibatch, and no other
/// sequence moves up.
///
/// Threads: one call at a time.
class Sequencer {
 public:
  virtual ~Sequencer() = default;

  /// Returns the name of the algorithm, which a position carries: "file", "cntk".
  [[nodiscard]] virtual std::string_view algorithm() const noexcept = 0;

  /// Returns the options that change what is delivered, by name. A run resumes only under equal
  /// options.
  [[nodiscard]] virtual std::map<std::string, std::string> options() const = 0;

  /// Returns the step that begins at `from`; nothing where the run is over.
  ///
  /// Order:  the same for every caller and every machine.
  /// Throws: ConfigError where the order cannot have the place; any exception of Counts.
  [[nodiscard]] virtual std::optional<Step> step(const Place& from) const = 0;

  /// Returns what a reader may prepare for: 0 where the first step does not need to know all
  /// chunks; else the number of chunks among which the sequences of a sweep move, or 1 where the
  /// window is not counted in chunks or several workers share the window.
  [[nodiscard]] virtual std::int64_t window_chunks() const noexcept { return 0; }

  /// Returns about how much memory planning takes at most, without the steps themselves. A memory
  /// limit counts the result. 0 means little.
  ///
  /// Throws: any exception of Counts.
  [[nodiscard]] virtual std::int64_t memory_bytes() const { return 0; }

  /// Returns the place of the first sequence that starts at or after `sample`, counting samples
  /// across sweeps from the start of the run.
  ///
  /// Pre:    sample is not negative.
  /// Throws: ConfigError where the run ends before `sample`, or where the order cannot tell; as
  /// step().
  [[nodiscard]] virtual Place place_of(std::int64_t sample) const;

  /// Returns the sequence that a sweep delivers at place `number`, from 0, counted over all
  /// workers, as a step without flags, ranges and next place; with a slice, where sequences are
  /// split. Returns nothing where the sweep has fewer sequences. `sweep` may lie beyond the end of
  /// the run.
  ///
  /// Throws: ConfigError where the order cannot tell, and by default; any exception of Counts.
  [[nodiscard]] virtual std::optional<Step> sequence_at(std::int64_t sweep,
                                                        std::int64_t number) const;
};

/// Returns the number of slots of a worker's minibatch where sequences are cut: the worker's part
/// of minibatch_size / truncation_length, at least 1.
///
/// Pre: truncation_length has a value above 0.
[[nodiscard]] std::int64_t truncated_slot_count(const OrderOptions& options) noexcept;

/// Returns the order of the options: one of the sequencers below, over frames or truncated where
/// the options say so.
///
/// Throws: ConfigError that names the option and the valid range.
[[nodiscard]] std::unique_ptr<Sequencer> make_sequencer(std::shared_ptr<const Counts> counts,
                                                        const OrderOptions& options);

/// File order, sweep after sweep. Of several workers, each delivers every worker_count-th sequence,
/// counted across the sweeps of an epoch.
///
/// Uses all options except those of other algorithms, split_frames and truncation_length.
class LinearSequencer final : public Sequencer {
 public:
  /// Throws: ConfigError where an option is out of range.
  LinearSequencer(std::shared_ptr<const Counts> counts, const OrderOptions& options);
  ~LinearSequencer() override;

  [[nodiscard]] std::string_view algorithm() const noexcept override;
  [[nodiscard]] std::map<std::string, std::string> options() const override;

  /// Cost: the sequences of the step; where `from` is not the place after the last step, also the
  ///       chunks before it.
  [[nodiscard]] std::optional<Step> step(const Place& from) const override;
  [[nodiscard]] Place place_of(std::int64_t sample) const override;

  /// Cost: the chunks before it.
  [[nodiscard]] std::optional<Step> sequence_at(std::int64_t sweep,
                                                std::int64_t number) const override;

 private:
  struct Cursor;

  [[nodiscard]] Step step_from_cursor(const Place& from, std::int64_t dealt) const;
  void forget_repeated(Step& step, bool is_over) const;

  std::shared_ptr<const Counts> counts_;
  OrderOptions options_;
  std::unique_ptr<Cursor> cursor_;  // cache: the chunk of the last place
};

/// Exactly the block randomization of CNTK 2.x: each sweep has an order of its own, in which a
/// sequence moves within a window of chunks. Of several workers, each delivers the sequences of
/// every worker_count-th chunk in the order of the sweep. Workers beyond the number of chunks
/// deliver nothing.
///
/// Needs to know all chunks before the first step.
///
/// Memory: 8 bytes for each sequence of the window; twice as much after a call of sequence_at().
class RandomSequencer final : public Sequencer {
 public:
  /// Throws: ConfigError where an option is out of range, and where there is no window.
  RandomSequencer(std::shared_ptr<const Counts> counts, const OrderOptions& options);
  ~RandomSequencer() override;

  [[nodiscard]] std::string_view algorithm() const noexcept override;
  [[nodiscard]] std::map<std::string, std::string> options() const override;
  [[nodiscard]] std::int64_t window_chunks() const noexcept override;
  [[nodiscard]] std::int64_t memory_bytes() const override;

  /// Cost: the sequences of the step, of all workers; where `from` is not the place after the last
  ///       step, also those of its sweep before it.
  [[nodiscard]] std::optional<Step> step(const Place& from) const override;
  [[nodiscard]] Place place_of(std::int64_t sample) const override;

  /// Cost: the sequences of the sweep before it; where the last call was about an
  ///       earlier one of the same sweep, those behind that.
  [[nodiscard]] std::optional<Step> sequence_at(std::int64_t sweep,
                                                std::int64_t number) const override;

 private:
  class Walk;

  std::shared_ptr<const Counts> counts_;
  OrderOptions options_;
  std::unique_ptr<Walk> walk_;  // cache: the sweep of the last place
};

/// The order "keyed/1": each sweep has an order of its own, which is the same for any number of
/// workers. docs/determinism.md explains the construction.
///
/// The order of a sweep depends on counts, seed and window alone. The order is cut into stretches
/// of equal length, about minibatch_size. A minibatch has the sequences that start in its stretch.
/// Sweeps, and epochs counted in samples, are divided evenly: there is no smaller minibatch at the
/// end, and no minibatch has sequences of two sweeps. With Batching::bucketed, runs of the order
/// are sorted by length, cut and shuffled again.
///
/// All workers look at the same minibatches. Each worker delivers its part, mostly from its own
/// part of the data. A position of one worker belongs to all workers, to any other number of
/// workers, and, with Batching::plain, to other minibatch sizes.
///
/// Needs to know all chunks before the first step.
///
/// Uses all options except those of other algorithms, timeline and sweep_ends.
/// Memory: 24 bytes a chunk, and about 104 for each unit of the window.
class KeyedSequencer final : public Sequencer {
 public:
  /// Throws: ConfigError where an option is out of range, and where there is no window.
  KeyedSequencer(std::shared_ptr<const Counts> counts, const OrderOptions& options);
  ~KeyedSequencer() override;

  [[nodiscard]] std::string_view algorithm() const noexcept override;
  [[nodiscard]] std::map<std::string, std::string> options() const override;
  [[nodiscard]] std::int64_t window_chunks() const noexcept override;

  /// Cost: the sequences of the step, of all workers; where `from` is not the place after the last
  ///       step, also the units of the sweep.
  [[nodiscard]] std::optional<Step> step(const Place& from) const override;

  /// Cost: where sequences have different lengths, those of the sweep before the place.
  [[nodiscard]] Place place_of(std::int64_t sample) const override;

  /// Cost:   the units of the sweep; where the last call was about the same sweep, those that are
  ///         there at once.
  /// Throws: as above; ConfigError with Batching::bucketed.
  [[nodiscard]] std::optional<Step> sequence_at(std::int64_t sweep,
                                                std::int64_t number) const override;

 private:
  class Walk;

  std::shared_ptr<const Counts> counts_;
  OrderOptions options_;
  std::unique_ptr<Walk> walk_;  // cache: the sweep of the last place
};

}  // namespace sheaf
