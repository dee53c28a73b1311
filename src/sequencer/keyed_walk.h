/// \file
/// A walk along the order "keyed/1", which makes the steps of a KeyedSequencer.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sheaf/extend/sequencer.h"

#include "sequencer/keyed_sweep.h"
#include "sequencer/keyed_units.h"
#include "sequencer/length_batches.h"
#include "sequencer/order_parts.h"
#include "sequencer/unit_map.h"
#include "sequencer/window_change.h"
#include "sequencer/worker_share.h"

namespace sheaf {
namespace internal {

/// Sequences drawn from the order, and what changes with them.
struct KeyedDraw : DrawnSequences {
  std::vector<ChunkRange> passed;  // this worker's data that no later step of the sweep needs
  WindowChange change;             // from the place before the draw to `next`
  bool ends_sweep = false;
  bool ends_epoch = false;
  Place next;
};

}  // namespace internal

struct KeyedSequencer::Data : internal::KeyedUnits {
  Data(const Counts& counts, const OrderOptions& options);

  std::int64_t cost = 0;  // of all sequences; 0 if minibatches do not count costs
};

/// The cursor of a KeyedSequencer: stands at a place, and draws the sequences behind the place.
///
/// keyed_walk.cc has the walk, keyed_windows.cc the windows, and keyed_batches.cc the batches of a
/// run.
class KeyedSequencer::Walk final : public OrderCursor {
 public:
  Walk(const Counts& counts, const OrderOptions& options)
      : counts_(counts), options_(options), epochs_(options), share_(options) {}

  /// Pre: the data are the same in every call. The calls below need the data.
  void set_data(const std::shared_ptr<const Data>& data);

  [[nodiscard]] std::optional<Step> step(const Place& from, const StepRoom& room);
  [[nodiscard]] std::vector<ChunkRange> window_at(const Place& place);
  [[nodiscard]] const internal::LastChange& last_change() const noexcept { return last_change_; }
  [[nodiscard]] Place place_of(std::int64_t sample);
  [[nodiscard]] std::optional<Step> sequence_at(std::int64_t sweep, std::int64_t number);

 private:
  using Draw = internal::KeyedDraw;
  using Epochs = internal::Epochs;
  using KeyedSweep = internal::KeyedSweep;
  using KeyedTick = internal::KeyedTick;
  using Which = internal::KeyedSweep::Which;

  /// The sweep that sequence_at() reads. The sweep that steps are taken from is another object.
  struct Lookup {
    std::int64_t sweep_number = 0;
    KeyedSweep sweep;
    std::int64_t tick_number = 0;
    std::optional<KeyedTick> tick = {};
  };

  /// The table of a chunk whose sequences have different lengths.
  struct SamplesOfChunk {
    std::optional<SampleCounts> counts;
    std::int64_t tick = 0;  // tick that last asked for the table
  };

  /// The data that a draw held at its beginning, and the data that entered until its last sequence.
  struct Held {
    std::int64_t first_tick = 0;
    std::int64_t last_tick = 0;
    bool ends_sweep = false;
    std::vector<ChunkRange> begin;  // filled if the sweep ends with the draw: the first tick's data
    std::vector<ChunkRange> entered;  // data of the later ticks; see knows_entered
    bool knows_entered = false;
  };

  /// A place within a run of batches: the beginning of the run, and the number of the batch.
  struct RunPlace {
    Place begin;
    std::int64_t batch = 0;
  };

  [[nodiscard]] bool check(const Place& from) const;
  void check_cost(const Place& from) const;
  void seek(const Place& place);
  void begin_sweep(std::int64_t number);
  void enter_tick(std::int64_t tick);
  void skip_empty_ticks();
  [[nodiscard]] std::int64_t draw_end(std::int64_t size) const;
  void draw(std::int64_t size, const StepRoom& room, Draw& draw);
  void cut_rest(Draw& draw) const;
  [[nodiscard]] bool has_minibatch(const StepRoom& room);
  [[nodiscard]] bool has_minibatch_in_sweep(std::int64_t number) const noexcept {
    return units_->sequence_count() - number >= options_.minibatch_size;
  }
  void leave_out(std::int64_t sample_end, const StepRoom& room, Held& held, Draw& draw);
  void end_sweep(Held& held, Draw& draw);
  void note_entered(Held& held) const;
  void check_sum() const;
  void take(std::int64_t end, std::int64_t epoch_ends, const StepRoom& room, Draw& draw);
  void take_of_tick(std::int64_t count, std::int64_t sample_end, Draw& draw);
  void take_costs_of_tick(std::int64_t count, std::int64_t sample_end, std::int64_t cost_end,
                          Draw& draw);
  [[nodiscard]] std::int64_t sample_count(const KeyedTick::Sequence& sequence) {
    const std::int64_t each = samples_of_each_[static_cast<std::size_t>(sequence.chunk)];
    return each >= 0 ? each : look_up_samples(sequence);
  }
  [[nodiscard]] std::int64_t look_up_samples(const KeyedTick::Sequence& sequence);
  [[nodiscard]] std::int64_t cost(const KeyedTick::Sequence& sequence);
  void forget_samples();

  void append_own(std::int64_t tick, Which which, std::vector<ChunkRange>& own) const;
  void append_entering(std::int64_t begin, std::int64_t end, std::vector<ChunkRange>& own) const;
  [[nodiscard]] bool is_one_lap() const noexcept { return sweep_->tick_count() == 1; }
  [[nodiscard]] bool is_near(const Held& held) const noexcept;
  void set_change(Held& held, bool ends_run, Draw& draw) const;
  [[nodiscard]] WindowChange change_of_run(const Held& held, bool ends_run) const;
  [[nodiscard]] RunPlace run_place(const Place& place) const;
  void begin_run(const Place& begin);
  [[nodiscard]] Step batch_step(const Place& from);
  void take_batch(std::int64_t number, Draw& draw) const;
  [[nodiscard]] Step own_part(Draw draw);
  void record(const Place& from, Step& step, WindowChange change);
  [[nodiscard]] std::int64_t epoch_end() const {
    return epochs_.end_in_sweep(epoch_, sweep_number_, units_->sample_count());
  }
  [[nodiscard]] bool is_at_end() const noexcept { return number_ == units_->sequence_count(); }
  [[nodiscard]] bool counts_costs() const noexcept { return options_.unit == MinibatchUnit::cost; }
  [[nodiscard]] std::vector<std::int64_t> carry() const {
    return counts_costs() && number_ > 0 ? std::vector{cost_} : std::vector<std::int64_t>();
  }

  const Counts& counts_;
  const OrderOptions& options_;
  const Epochs epochs_;
  std::shared_ptr<const internal::UnitMap> units_;
  std::int64_t laps_ = 1;
  std::int64_t cost_of_all_ = 0;

  // The place of the walk. Between calls, the current tick has a sequence to deliver.
  std::int64_t epoch_ = 0;
  std::int64_t sweep_number_ = 0;
  std::int64_t number_ = 0;  // of the next sequence
  std::int64_t sample_ = 0;
  // Of the sequences of the sweep before the place; 0 if costs are not counted.
  std::int64_t cost_ = 0;
  bool is_settled_ = true;       // false after an exception in the middle of a draw
  std::optional<Place> sought_;  // where the walk entered the sweep, unless at its beginning

  // The current sweep; null before the first one.
  std::unique_ptr<KeyedSweep> sweep_;
  std::unique_ptr<KeyedTick> tick_;
  std::int64_t tick_number_ = 0;
  std::int64_t tick_left_ = 0;                 // sequences of the tick that are not yet delivered
  std::vector<std::int64_t> samples_of_each_;  // [chunk]; -1: unknown, or not all equal
  std::vector<SamplesOfChunk> samples_;        // [chunk]
  std::vector<SamplesOfChunk> declared_;       // [chunk]: costs
  std::int64_t ticks_entered_ = 0;
  std::int64_t last_size_ = 0;  // of the last draw; the next one is about as large

  // With buckets: the run of the last place, and its window. The first step of a run loads the
  // ranges `entered` of run_held_. The last step goes from all data of the run to the next place
  // (run_end_change_).
  std::optional<Place> run_begin_;
  Draw run_;
  Held run_held_;
  WindowChange run_end_change_;
  internal::LengthBatches batches_;

  internal::LastChange last_change_;

  std::optional<Lookup> lookup_;

  internal::WorkerShare share_;
};

}  // namespace sheaf
