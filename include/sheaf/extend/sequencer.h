/// \file
/// Decides which sequences form the next minibatch.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
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
  std::vector<SampleRange> slices{};     // one for each sequence; empty where all are whole.
                                         // SampleRange::kAll samples are a whole sequence
  std::vector<std::int64_t> slots{};     // one for each sequence, of orders that give slots
  std::int64_t sweep = 0;                // of all sequences, where `sweeps` is empty
  std::vector<std::int64_t> sweeps{};    // one for each sequence, where the sequences differ
  std::int64_t sample_count = 0;         // of all sequences, by the counts
  bool ends_sweep = false;               // whether the last sequence of a sweep is in the step
  bool ends_epoch = false;               // whether the epoch ends with the step

  // Whether a sequence that is not whole must have equally many samples in every stream: else the
  // minibatch is an error, since the samples of its longer streams would be lost.
  bool needs_equal_streams = false;

  // Advice about memory: ranges outside the window that no later step of the sweep needs. A range
  // that is a part of its chunk is read as one, for this step alone.
  std::vector<ChunkRange> passed{};

  Place next{};  // the place after the step

  /// Returns the sweep of a sequence.
  ///
  /// Pre: i < sequences.size().
  [[nodiscard]] std::int64_t sweep_of(std::size_t i) const noexcept {
    return sweeps.empty() ? sweep : sweeps[i];
  }
};

/// What enters and what leaves the window between two places. Each list is in ascending order.
struct WindowChange {
  std::vector<ChunkRange> load{};
  std::vector<ChunkRange> release{};

  friend bool operator==(const WindowChange&, const WindowChange&) = default;
};

/// How many sequences a step may have. Without a limit, a minibatch may be asked for that has all
/// data in it: the plan would be the first thing that there is no memory for.
class StepRoom {
 public:
  /// What a sequence takes in a minibatch at the least: its plan, its key and its places.
  static constexpr std::int64_t kBytesPerSequence = 96;

  /// A step may always have so many sequences.
  static constexpr std::int64_t kPlannedMin = 65'536;

  /// Makes room without a limit.
  StepRoom() = default;

  /// Makes room for as many sequences as a memory limit allows. 0 means no limit.
  explicit StepRoom(std::int64_t memory_limit_bytes) noexcept
      : memory_limit_bytes_(memory_limit_bytes) {}

  /// Returns how many sequences a step of `sequence_count` may still get; below 0 where the step
  /// has too many.
  [[nodiscard]] std::int64_t left(std::int64_t sequence_count) const noexcept;

  /// Throws: ConfigError where a step may not have so many sequences.
  void check(std::int64_t sequence_count) const;

 private:
  std::int64_t memory_limit_bytes_ = 0;
};

/// What a sequencer found out on its way to a place. A caller keeps the cursor between calls, so
/// that the next step is found fast. A cursor never changes an answer.
///
/// Lifetime: no longer than the sequencer that made the cursor.
class OrderCursor {
 public:
  virtual ~OrderCursor() = default;
};

/// Decides the order: a pure function of the counts, the options and the place. A sequencer looks
/// at no files and no clock and keeps no history. Callers may ask in any order.
///
/// The *window* is the data that the order takes sequences from for more than one step: a set of
/// ranges, which is a function of the place. A reader holds the window. The units of a range are
/// the units of its chunk, cut at the ends of the range. A reader delivers a sequence outside the
/// window and does not keep the sequence. Ranges of a window may share a sequence at their ends.
///
/// The plan never depends on values: a bad sequence leaves a hole in its minibatch, and no other
/// sequence moves up.
///
/// Threads: any number of threads may call a sequencer. Each thread needs a cursor of its own.
class Sequencer {
 public:
  virtual ~Sequencer() = default;

  /// Returns the name of the algorithm, which a position carries: "file", "cntk".
  [[nodiscard]] virtual std::string_view algorithm() const noexcept = 0;

  /// Returns the options that change what is delivered, by name. A run resumes only under equal
  /// options.
  [[nodiscard]] virtual std::map<std::string, std::string> options() const = 0;

  /// Returns a cursor for the calls below. By default the cursor is empty.
  [[nodiscard]] virtual std::unique_ptr<OrderCursor> make_cursor() const;

  /// Returns the step that begins at `from`; nothing where the run is over.
  ///
  /// Order:  the same for every caller and every machine.
  /// Pre:    the sequencer made the cursor, here and below.
  /// Throws: ConfigError where the order cannot have the place, and where the step has no room; any
  ///         exception of Counts. The call may then be repeated.
  /// Cost:   little where `from` is the place after the last step of the cursor.
  [[nodiscard]] virtual std::optional<Step> step(const Place& from, OrderCursor& cursor,
                                                 const StepRoom& room) const = 0;

  /// Returns what enters and leaves the window from one place to another; all of the window where
  /// `from` is empty. By default there is no window. The window is empty where the run is over.
  ///
  /// Throws: as step().
  /// Cost:   the change, where the last step of the cursor went from `from` to `to`.
  [[nodiscard]] virtual WindowChange window_change(const std::optional<Place>& from,
                                                   const Place& to, OrderCursor& cursor) const;

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
  /// workers, as a step without flags, advice and next place; with a slice, where sequences are
  /// split. Returns nothing where the sweep has fewer sequences. `sweep` may lie beyond the end of
  /// the run.
  ///
  /// Throws: ConfigError where the order cannot tell, and by default; any exception of Counts.
  [[nodiscard]] virtual std::optional<Step> sequence_at(std::int64_t sweep, std::int64_t number,
                                                        OrderCursor& cursor) const;
};

/// Follows an order step after step, and tells what a reader holds for each step.
///
/// Threads: one call at a time.
class OrderWalk {
 public:
  /// Lifetime: the sequencer must outlive the walk.
  explicit OrderWalk(const Sequencer& sequencer, Place start = {});

  /// A step, and the ranges that a reader begins to hold with the step and that the reader lets go
  /// after the step. A range may be in both lists: the step alone needs the range.
  struct Next {
    Step step{};
    std::vector<ChunkRange> load{};
    std::vector<ChunkRange> release{};
  };

  /// Returns the next step; nothing where the run is over.
  ///
  /// Throws: as Sequencer::step(). The next call then tries the same step again.
  [[nodiscard]] std::optional<Next> next(const StepRoom& room = {});

  /// Returns the place before the next step.
  [[nodiscard]] const Place& place() const noexcept { return place_; }

 private:
  const Sequencer& sequencer_;
  std::unique_ptr<OrderCursor> cursor_;
  Place place_;
  bool holds_window_ = false;  // whether a step told the window at place_
};

/// Returns the number of slots of a worker's minibatch where sequences are cut: the worker's part
/// of minibatch_size / truncation_length, at least 1.
///
/// Pre: truncation_length has a value above 0.
[[nodiscard]] std::int64_t truncated_slot_count(const OrderOptions& options) noexcept;

/// Returns the order of the options: one of the sequencers below, over frames, over pieces of long
/// sequences, or truncated, where the options say so.
///
/// Throws: ConfigError that names the option and the valid range.
[[nodiscard]] std::unique_ptr<Sequencer> make_sequencer(std::shared_ptr<const Counts> counts,
                                                        const OrderOptions& options);

/// File order, sweep after sweep. Of several workers, each delivers every worker_count-th sequence,
/// counted across the sweeps of an epoch.
///
/// Ignores the options of other algorithms, split_frames, long_sequences and truncation_length.
class LinearSequencer final : public Sequencer {
 public:
  /// Throws: ConfigError where an option is out of range.
  LinearSequencer(std::shared_ptr<const Counts> counts, const OrderOptions& options);
  ~LinearSequencer() override;

  [[nodiscard]] std::string_view algorithm() const noexcept override;
  [[nodiscard]] std::map<std::string, std::string> options() const override;

  [[nodiscard]] std::unique_ptr<OrderCursor> make_cursor() const override;

  /// Cost: the sequences of the step; where `from` is not the place after the cursor's last step,
  ///       also the chunks before `from`.
  [[nodiscard]] std::optional<Step> step(const Place& from, OrderCursor& cursor,
                                         const StepRoom& room) const override;
  [[nodiscard]] Place place_of(std::int64_t sample) const override;

  /// Cost: the chunks before it.
  [[nodiscard]] std::optional<Step> sequence_at(std::int64_t sweep, std::int64_t number,
                                                OrderCursor& cursor) const override;

 private:
  struct Cursor;

  [[nodiscard]] Step step_from_cursor(const Place& from, std::int64_t dealt, Cursor& cursor,
                                      const StepRoom& room) const;

  std::shared_ptr<const Counts> counts_;
  OrderOptions options_;
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
  [[nodiscard]] std::unique_ptr<OrderCursor> make_cursor() const override;

  /// Cost: the sequences of the step, of all workers; where `from` is not the place after the
  ///       cursor's last step, also the sequences of the sweep before `from`.
  [[nodiscard]] std::optional<Step> step(const Place& from, OrderCursor& cursor,
                                         const StepRoom& room) const override;
  [[nodiscard]] WindowChange window_change(const std::optional<Place>& from, const Place& to,
                                           OrderCursor& cursor) const override;
  [[nodiscard]] Place place_of(std::int64_t sample) const override;

  /// Cost: the sequences of the sweep before it; where the cursor's last call was about an
  ///       earlier one of the same sweep, the sequences between the two.
  [[nodiscard]] std::optional<Step> sequence_at(std::int64_t sweep, std::int64_t number,
                                                OrderCursor& cursor) const override;

 private:
  struct Chunks;
  class Walk;

  [[nodiscard]] std::shared_ptr<const Chunks> chunks() const;

  std::shared_ptr<const Counts> counts_;
  OrderOptions options_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Chunks> chunks_;  // cache, under the mutex: null until asked for
};

/// The order "keyed/1": each sweep has an order of its own, which is the same for any number of
/// workers. docs/determinism.md explains the construction.
///
/// The order of a sweep depends on counts, seed and window alone. The order is cut into stretches
/// of equal length, about minibatch_size. A minibatch has the sequences that start in its stretch.
/// Sweeps, and epochs counted in samples, are divided evenly: there is no smaller minibatch at the
/// end, and no minibatch has sequences of two sweeps. With Sizes::exact, a minibatch has exactly
/// minibatch_size sequences, but for the last one. With Batching::bucketed, runs of the order are
/// sorted by length, cut and shuffled again.
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
  [[nodiscard]] std::unique_ptr<OrderCursor> make_cursor() const override;

  /// Cost: the sequences of the step, of all workers; where `from` is not the place after the
  ///       cursor's last step, also the units of the sweep.
  [[nodiscard]] std::optional<Step> step(const Place& from, OrderCursor& cursor,
                                         const StepRoom& room) const override;
  [[nodiscard]] WindowChange window_change(const std::optional<Place>& from, const Place& to,
                                           OrderCursor& cursor) const override;

  /// Cost: where sequences have different lengths, those of the sweep before the place.
  [[nodiscard]] Place place_of(std::int64_t sample) const override;

  /// Cost:   the units of the sweep; where the cursor's last call was about the same sweep, the
  ///         units that are there at once.
  /// Throws: as above; ConfigError with Batching::bucketed.
  [[nodiscard]] std::optional<Step> sequence_at(std::int64_t sweep, std::int64_t number,
                                                OrderCursor& cursor) const override;

 private:
  struct Data;
  class Walk;

  [[nodiscard]] std::shared_ptr<const Data> data() const;

  std::shared_ptr<const Counts> counts_;
  OrderOptions options_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Data> data_;  // cache, under the mutex: null until asked for
};

}  // namespace sheaf
