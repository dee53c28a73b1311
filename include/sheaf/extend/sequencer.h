/// \file
/// Which sequences form the next minibatch.

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

/// A sequence by its place in the index.
struct SequenceRef {
  ChunkIndex chunk{};
  std::int64_t sequence = 0;  // number within the chunk

  friend bool operator==(const SequenceRef&, const SequenceRef&) = default;
};

/// The plan of one minibatch.
struct Step {
  std::vector<SequenceRef> sequences{};  // in the order of delivery
  std::vector<SampleRange> slices{};     // empty: sequences are whole; else one for each
  std::vector<std::int64_t> slots{};     // of orders that say where sequences lie: one for each
  std::int64_t sample_count = 0;         // by the counts, of all of them
  bool ends_sweep = false;               // the last sequence of a sweep is among them
  bool ends_epoch = false;               // nothing follows in this epoch

  // Advice about memory, as seen from the step given before: what enters the window with this step,
  // to be held until it is released; and what is not needed after it. Nothing else is kept for
  // longer than it takes to deliver each sequence once. What is named again is read again. Ranges
  // may share a sequence at their ends; one is released by the name it was loaded by, or with all
  // of its chunk. One that is loaded and released is held for this step alone. What lies in a range
  // is read by its units, which are those of the chunk, cut at the ends of the range.
  std::vector<ChunkRange> load{};
  std::vector<ChunkRange> release{};

  Place next{};  // the place after this step
};

/// Decides the order. Pure: which sequences a step has depends on the counts, the options it was
/// made with and the place alone; no files, no clock, no history. What it keeps between calls is
/// only a cache.
///
/// The plan never depends on values: a sequence that turns out to be bad leaves a hole in its
/// minibatch, nothing moves up.
///
/// Threads: one call at a time.
class Sequencer {
 public:
  virtual ~Sequencer() = default;

  /// Name of the algorithm, which a position carries: "file", "cntk".
  [[nodiscard]] virtual std::string_view algorithm() const noexcept = 0;

  /// The options that change what is delivered, by option name. A run resumes only under equal
  /// ones.
  [[nodiscard]] virtual std::map<std::string, std::string> options() const = 0;

  /// The step that begins at `from`; nothing where the run is over.
  ///
  /// Order:  the same for every caller and every machine.
  /// Throws: ConfigError where the place cannot be one of this order; whatever Counts throws.
  [[nodiscard]] virtual std::optional<Step> step(const Place& from) const = 0;

  /// What a reader may prepare for: among how many chunks the sequences of a sweep move, where the
  /// first step needs to know all chunks. 0 where it does not; 1 where the window is not told in
  /// chunks, or is shared by several workers.
  [[nodiscard]] virtual std::int64_t window_chunks() const noexcept { return 0; }

  /// Memory that planning steps will hold at most, about, beyond the steps themselves: what a
  /// memory limit counts. 0 where that is little.
  ///
  /// Throws: whatever Counts throws.
  [[nodiscard]] virtual std::int64_t memory_bytes() const { return 0; }

  /// The place of the first sequence that starts at or after so many samples of the run, counted
  /// on over sweeps.
  ///
  /// Pre:    sample is not negative.
  /// Throws: ConfigError where the run is over before it, or the order cannot tell; what step
  ///         throws.
  [[nodiscard]] virtual Place place_of(std::int64_t sample) const;

  /// The sequence that a sweep delivers as its number-th, from 0, counted over all workers: a step
  /// of its own, with its slice where samples are split, and without flags, ranges and next place.
  /// Nothing where the sweep has no such number. The order has every sweep, however many the run
  /// has.
  ///
  /// Throws: ConfigError where the order cannot tell, which is what it does unless it says
  /// otherwise;
  ///         whatever Counts throws.
  [[nodiscard]] virtual std::optional<Step> sequence_at(std::int64_t sweep,
                                                        std::int64_t number) const;
};

/// Slots of a worker's minibatch where sequences are cut: its part of minibatch_size /
/// truncation_length, at least one.
///
/// Pre: truncation_length > 0.
[[nodiscard]] std::int64_t truncated_slot_count(const OrderOptions& options) noexcept;

/// The order that options ask for: one of those below, over frames or truncated as it may be.
///
/// Throws: ConfigError that names the option and the valid range.
[[nodiscard]] std::unique_ptr<Sequencer> make_sequencer(std::shared_ptr<const Counts> counts,
                                                        const OrderOptions& options);

/// File order, sweep after sweep. Of several workers, each delivers every worker_count-th sequence,
/// counted on over the sweeps of an epoch.
///
/// Uses of its options: all but those of other algorithms, split_frames and truncation_length.
class LinearSequencer final : public Sequencer {
 public:
  /// Throws: ConfigError: an option out of range.
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

/// Each sweep in an order of its own, in which a sequence moves within a window of chunks: what
/// CNTK 2.x calls block randomization, number by number. Of several workers, each delivers the
/// sequences of every worker_count-th chunk, as the sweep orders chunks; one beyond the number of
/// chunks has nothing.
///
/// Needs to know all chunks before the first step.
///
/// Memory: 8 bytes for each sequence of the window; as much again once sequence_at() was asked.
class RandomSequencer final : public Sequencer {
 public:
  /// Throws: ConfigError: an option out of range, no window.
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

/// Each sweep in an order of its own that is the same for any number of workers: "keyed/1". How it
/// comes about is told in docs/determinism.md.
///
/// The sequences of a sweep have an order, which depends on counts, seed and window alone.
/// Minibatches are stretches of it, equally long and about minibatch_size: a minibatch has the
/// sequences that start in its stretch. Sweeps, and epochs counted in samples, are divided evenly,
/// so there is no rest at the end, and no minibatch has sequences of two sweeps. With
/// Batching::bucketed, runs of the order are sorted by length, cut and shuffled once more.
///
/// All workers look at the same minibatches; each delivers its part, mostly from its own part of
/// the data. A position of one belongs to all of them, to any other number of them, and, where
/// Batching is plain, to other minibatch sizes.
///
/// Needs to know all chunks before the first step.
///
/// Uses of its options: all but those of other algorithms, timeline, cut_at_sweep_end.
/// Memory: 24 bytes a chunk, and about 104 for each unit of the window.
class KeyedSequencer final : public Sequencer {
 public:
  /// Throws: ConfigError: an option out of range, no window.
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
