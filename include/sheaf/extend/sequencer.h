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

/// Identifies a sequence in the index.
struct SequenceRef {
  ChunkIndex chunk{};
  std::int64_t sequence = 0;  // the number within the chunk

  friend bool operator==(const SequenceRef&, const SequenceRef&) = default;
};

/// The plan of one minibatch.
struct Step {
  std::vector<SequenceRef> sequences{};  // in the order of delivery
  std::vector<SampleRange> slices{};     // one for each sequence; empty if all are whole. A count
                                         // of SampleRange::kAll means a whole sequence
  std::vector<std::int64_t> slots{};     // one for each sequence, if the order assigns slots
  std::int64_t sweep = 0;                // of all sequences, if `sweeps` is empty
  std::vector<std::int64_t> sweeps{};    // one for each sequence, if the sequences differ
  std::int64_t sample_count = 0;         // sum over all sequences, by Counts
  bool ends_sweep = false;               // whether the last sequence of a sweep is in the step
  bool ends_epoch = false;               // whether the epoch ends with the step

  // Whether a sequence that is cut must have equally many samples in every stream. If not, the
  // minibatch is an error, because samples of the longer streams would be lost.
  bool needs_equal_streams = false;

  // A hint about memory: ranges outside the window that no later step of the sweep needs. A range
  // that is only a part of its chunk is read as a whole, for this step only.
  std::vector<ChunkRange> passed{};

  Place next{};  // the place after the step

  /// Returns the sweep of a sequence.
  ///
  /// Pre: i < sequences.size().
  [[nodiscard]] std::int64_t sweep_of(std::size_t i) const noexcept {
    return sweeps.empty() ? sweep : sweeps[i];
  }
};

/// The ranges that enter and leave the window between two places. Each list is in ascending order.
struct WindowChange {
  std::vector<ChunkRange> load{};
  std::vector<ChunkRange> release{};

  friend bool operator==(const WindowChange&, const WindowChange&) = default;
};

/// Limits the number of sequences of a step. Without this limit, the plan of a minibatch that has
/// all data could exceed the memory limit.
class StepRoom {
 public:
  /// The least memory of a sequence in a minibatch: its plan, its key and its offsets.
  static constexpr std::int64_t kBytesPerSequence = 96;

  /// A step may always have this many sequences.
  static constexpr std::int64_t kPlannedMin = 65'536;

  /// Makes an unlimited room.
  StepRoom() = default;

  /// Makes room for as many sequences as a memory limit allows. 0 means no limit.
  explicit StepRoom(std::int64_t memory_limit_bytes) noexcept
      : memory_limit_bytes_(memory_limit_bytes) {}

  /// Returns how many more sequences a step with `sequence_count` sequences may get. Negative if
  /// the step has too many.
  [[nodiscard]] std::int64_t left(std::int64_t sequence_count) const noexcept;

  /// Throws: ConfigError if a step may not have `sequence_count` sequences.
  void check(std::int64_t sequence_count) const;

 private:
  std::int64_t memory_limit_bytes_ = 0;
};

/// A cache of a sequencer's work on the way to a place. A caller keeps the cursor between calls, so
/// that the next step is fast. A cursor never changes a result.
///
/// Lifetime: must not outlive the sequencer that made the cursor.
class OrderCursor {
 public:
  virtual ~OrderCursor() = default;
};

/// Decides the order: a pure function of the counts, the options and the place. A sequencer reads
/// no files and no clock and keeps no history. Calls may come in any order.
///
/// The *window* is the data from which the order takes sequences for more than one step: a set of
/// ranges, which is a function of the place. A reader holds the window in memory. The units of a
/// range are the units of its chunk, clipped to the range. A reader does not keep a sequence
/// outside the window after its delivery. Neighbouring ranges of a window may share a sequence at
/// their ends.
///
/// The plan never depends on values. A sequence with an error leaves a hole in its minibatch, and
/// no other sequence moves up.
///
/// Threads: any number of threads may call a sequencer. Each thread needs a cursor of its own.
class Sequencer {
 public:
  virtual ~Sequencer() = default;

  /// Returns the name of the algorithm, which a position stores: "file", "cntk".
  [[nodiscard]] virtual std::string_view algorithm() const noexcept = 0;

  /// Returns the options that change what is delivered, by name. A run can be resumed only with
  /// equal options.
  [[nodiscard]] virtual std::map<std::string, std::string> options() const = 0;

  /// Returns a cursor for the calls below. By default, the cursor is empty.
  [[nodiscard]] virtual std::unique_ptr<OrderCursor> make_cursor() const;

  /// Returns the step that begins at `from`; nothing if the run is over.
  ///
  /// Order:  the same for every caller and every machine.
  /// Pre:    this sequencer made the cursor, here and below.
  /// Throws: ConfigError if the order does not have the place, or if the step exceeds `room`; any
  ///         exception of Counts. The call may then be repeated.
  /// Cost:   little if `from` is the place after the last step of the cursor.
  [[nodiscard]] virtual std::optional<Step> step(const Place& from, OrderCursor& cursor,
                                                 const StepRoom& room) const = 0;

  /// Returns the ranges that enter and leave the window from one place to another. If `from` is
  /// empty, returns the whole window. The window is empty after the end of the run. By default,
  /// there is no window.
  ///
  /// Throws: as step().
  /// Cost:   the size of the change, if the last step of the cursor went from `from` to `to`.
  [[nodiscard]] virtual WindowChange window_change(const std::optional<Place>& from,
                                                   const Place& to, OrderCursor& cursor) const;

  /// Returns a hint for a reader. 0 means that the first step does not need to know all chunks.
  /// Otherwise, returns the number of chunks within which the sequences of a sweep move, or 1 if
  /// the window is not counted in chunks or several workers share the window.
  [[nodiscard]] virtual std::int64_t window_chunks() const noexcept { return 0; }

  /// Returns roughly the most memory that planning takes, without the steps themselves. A memory
  /// limit counts this memory. 0 means little.
  ///
  /// Throws: any exception of Counts.
  [[nodiscard]] virtual std::int64_t memory_bytes() const { return 0; }

  /// Returns the place of the first sequence that starts at or after `sample`, counting samples
  /// across sweeps from the start of the run.
  ///
  /// Pre:    sample is not negative.
  /// Throws: ConfigError if the run ends before `sample`, or if the order does not support this
  ///         call. Also as step().
  [[nodiscard]] virtual Place place_of(std::int64_t sample) const;

  /// Returns sequence number `number` of a sweep, counted from 0 over all workers. The result is a
  /// step without flags, `passed` and `next`, and with a slice if sequences are split. Returns
  /// nothing if the sweep has fewer sequences. `sweep` may lie beyond the end of the run.
  ///
  /// Throws: ConfigError if the order does not support this call, as by default; any exception of
  ///         Counts.
  [[nodiscard]] virtual std::optional<Step> sequence_at(std::int64_t sweep, std::int64_t number,
                                                        OrderCursor& cursor) const;
};

/// Follows an order step by step, and returns the ranges that a reader holds for each step.
///
/// Threads: one call at a time.
class OrderWalk {
 public:
  /// Lifetime: the sequencer must outlive the walk.
  explicit OrderWalk(const Sequencer& sequencer, Place start = {});

  /// A step, the ranges that a reader loads before the step, and the ranges that the reader
  /// releases after the step. A range that only this step needs is in both lists.
  struct Next {
    Step step{};
    std::vector<ChunkRange> load{};
    std::vector<ChunkRange> release{};
  };

  /// Returns the next step; nothing if the run is over.
  ///
  /// Throws: as Sequencer::step(). The next call then tries the same step again.
  [[nodiscard]] std::optional<Next> next(const StepRoom& room = {});

  /// Returns the place before the next step.
  [[nodiscard]] const Place& place() const noexcept { return place_; }

 private:
  const Sequencer& sequencer_;
  std::unique_ptr<OrderCursor> cursor_;
  Place place_;
  bool holds_window_ = false;  // whether a step has loaded the window at place_
};

/// Returns the number of slots of a worker's minibatch when sequences are truncated: the worker's
/// share of minibatch_size / truncation_length, at least 1.
///
/// Pre: truncation_length has a value above 0.
[[nodiscard]] std::int64_t truncated_slot_count(const OrderOptions& options) noexcept;

/// Returns the order of the options: one of the sequencers below. Depending on the options, the
/// order is over frames or pieces of long sequences, or is truncated.
///
/// Throws: ConfigError that names the option and the valid range.
[[nodiscard]] std::unique_ptr<Sequencer> make_sequencer(std::shared_ptr<const Counts> counts,
                                                        const OrderOptions& options);

/// File order, sweep after sweep. With several workers, each delivers every worker_count-th
/// sequence, counted across the sweeps of an epoch.
///
/// Ignores the options of other algorithms, split_frames, long_sequences and truncation_length.
class LinearSequencer final : public Sequencer {
 public:
  /// Throws: ConfigError if an option is out of range.
  LinearSequencer(std::shared_ptr<const Counts> counts, const OrderOptions& options);
  ~LinearSequencer() override;

  [[nodiscard]] std::string_view algorithm() const noexcept override;
  [[nodiscard]] std::map<std::string, std::string> options() const override;

  [[nodiscard]] std::unique_ptr<OrderCursor> make_cursor() const override;

  /// Cost: the sequences of the step; also the chunks before `from`, unless `from` is the place
  ///       after the cursor's last step.
  [[nodiscard]] std::optional<Step> step(const Place& from, OrderCursor& cursor,
                                         const StepRoom& room) const override;
  [[nodiscard]] Place place_of(std::int64_t sample) const override;

  /// Cost: the chunks before the sequence.
  [[nodiscard]] std::optional<Step> sequence_at(std::int64_t sweep, std::int64_t number,
                                                OrderCursor& cursor) const override;

 private:
  struct Cursor;

  [[nodiscard]] Step step_from_cursor(const Place& from, std::int64_t dealt, Cursor& cursor,
                                      const StepRoom& room) const;

  std::shared_ptr<const Counts> counts_;
  OrderOptions options_;
};

/// Exactly the block randomization of CNTK 2.x. Each sweep has its own order, in which a sequence
/// moves within a window of chunks. With several workers, each delivers the sequences of every
/// worker_count-th chunk in the order of the sweep. If there are more workers than chunks, the last
/// workers deliver nothing.
///
/// Needs to know all chunks before the first step.
///
/// Memory: 8 bytes for each sequence of the window; twice as much after a call of sequence_at().
class RandomSequencer final : public Sequencer {
 public:
  /// Throws: ConfigError if an option is out of range, or if there is no window.
  RandomSequencer(std::shared_ptr<const Counts> counts, const OrderOptions& options);
  ~RandomSequencer() override;

  [[nodiscard]] std::string_view algorithm() const noexcept override;
  [[nodiscard]] std::map<std::string, std::string> options() const override;
  [[nodiscard]] std::int64_t window_chunks() const noexcept override;
  [[nodiscard]] std::int64_t memory_bytes() const override;
  [[nodiscard]] std::unique_ptr<OrderCursor> make_cursor() const override;

  /// Cost: the sequences of the step, of all workers; also the sequences of the sweep before
  ///       `from`, unless `from` is the place after the cursor's last step.
  [[nodiscard]] std::optional<Step> step(const Place& from, OrderCursor& cursor,
                                         const StepRoom& room) const override;
  [[nodiscard]] WindowChange window_change(const std::optional<Place>& from, const Place& to,
                                           OrderCursor& cursor) const override;
  [[nodiscard]] Place place_of(std::int64_t sample) const override;

  /// Cost: the earlier sequences of the sweep. If the cursor's last call was about an earlier
  ///       sequence of the same sweep, only the sequences between the two.
  [[nodiscard]] std::optional<Step> sequence_at(std::int64_t sweep, std::int64_t number,
                                                OrderCursor& cursor) const override;

 private:
  struct Chunks;
  class Walk;

  [[nodiscard]] std::shared_ptr<const Chunks> chunks() const;

  std::shared_ptr<const Counts> counts_;
  OrderOptions options_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Chunks> chunks_;  // a cache, under the mutex; null at first
};

/// The order "keyed/1": each sweep has its own order, which is the same for any number of workers.
/// docs/determinism.md explains the construction.
///
/// The order of a sweep depends only on counts, seed and window. The order is cut into stretches of
/// equal length, about minibatch_size. A minibatch has the sequences that start in its stretch.
/// Sweeps, and epochs counted in samples, are divided evenly: there is no smaller minibatch at the
/// end, and no minibatch has sequences of two sweeps. With Sizes::exact, every minibatch except the
/// last has exactly minibatch_size sequences. With Batching::bucketed, runs of the order are sorted
/// by length, cut and shuffled again.
///
/// All workers plan the same minibatches. Each worker delivers its share, mostly from its own part
/// of the data. A position of one worker is valid for all workers, for any other number of workers,
/// and, with Batching::plain, for other minibatch sizes.
///
/// Needs to know all chunks before the first step.
///
/// Uses all options except the options of other algorithms, timeline and sweep_ends.
/// Memory: 24 bytes for each chunk, and about 104 bytes for each unit of the window.
class KeyedSequencer final : public Sequencer {
 public:
  /// Throws: ConfigError if an option is out of range, or if there is no window.
  KeyedSequencer(std::shared_ptr<const Counts> counts, const OrderOptions& options);
  ~KeyedSequencer() override;

  [[nodiscard]] std::string_view algorithm() const noexcept override;
  [[nodiscard]] std::map<std::string, std::string> options() const override;
  [[nodiscard]] std::int64_t window_chunks() const noexcept override;
  [[nodiscard]] std::unique_ptr<OrderCursor> make_cursor() const override;

  /// Cost: the sequences of the step, of all workers; also the units of the sweep, unless `from` is
  ///       the place after the cursor's last step.
  [[nodiscard]] std::optional<Step> step(const Place& from, OrderCursor& cursor,
                                         const StepRoom& room) const override;
  [[nodiscard]] WindowChange window_change(const std::optional<Place>& from, const Place& to,
                                           OrderCursor& cursor) const override;

  /// Cost: the sequences of the sweep before the place, if lengths differ.
  [[nodiscard]] Place place_of(std::int64_t sample) const override;

  /// Cost:   the units of the sweep. If the cursor's last call was about the same sweep, only the
  ///         units of the window.
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
  mutable std::shared_ptr<const Data> data_;  // a cache, under the mutex; null at first
};

}  // namespace sheaf
