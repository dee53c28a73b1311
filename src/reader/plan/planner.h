/// \file
/// Plans the work of the reader for each step.

#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/index.h"
#include "sheaf/extend/packer.h"
#include "sheaf/extend/sequencer.h"

#include "reader/fetch/held_chunk.h"
#include "reader/plan/held_ranges.h"
#include "reader/plan/known_cuts.h"
#include "reader/plan/range_cut.h"
#include "reader/plan/use_numbers.h"
#include "transform/chain.h"

namespace sheaf::internal {

/// A unit that a step needs, or some consecutive sequences of a unit.
///
/// Lifetime: the cut must outlive the use. StepPlan::cuts and Unit::cut own the cuts. A use owns
///           none, because threads would contend for the reference counts of hundreds of uses.
struct UnitUse {
  const RangeCut* cut = nullptr;
  SequenceSpan unit;
  std::int64_t part_first = 0;  // number within the chunk
  std::int64_t part_count = 0;  // 0: the whole unit
  bool is_held = false;         // whether the range is held, at least for this step
  bool is_last = false;         // whether no later step needs the unit
  UnitForm form = UnitForm::as_read;

  [[nodiscard]] bool is_part() const noexcept { return part_count > 0; }
  [[nodiscard]] std::int64_t first() const noexcept { return is_part() ? part_first : unit.first; }
  [[nodiscard]] std::int64_t count() const noexcept {
    return is_part() ? part_count : unit.count();
  }

  /// Return roughly how much memory the unit takes: for its part of the index, and in all.
  [[nodiscard]] std::int64_t row_bytes() const noexcept { return cut->row_bytes(count()); }
  [[nodiscard]] std::int64_t bytes() const noexcept {
    return cut->held_bytes(first(), count()) + row_bytes();
  }

  /// Returns the same as bytes(), with the values as read.
  [[nodiscard]] std::int64_t bytes_as_read() const noexcept {
    return cut->decoded_bytes(first(), count()) + row_bytes();
  }

  /// Returns roughly how many bytes reading takes.
  [[nodiscard]] std::int64_t bytes_to_read() const noexcept {
    return cut->bytes_to_read(first(), count());
  }

  /// Returns the additional memory while the unit is read, without the buffer of each read. A
  /// narrow copy is made while the values as read are still in memory.
  [[nodiscard]] std::int64_t reading_bytes() const noexcept {
    return cut->long_text_bytes(first(), count()) +
           (form == UnitForm::narrow ? narrow_copy_bytes() : 0);
  }

  /// Returns the most memory that a narrow copy takes.
  [[nodiscard]] std::int64_t narrow_copy_bytes() const noexcept {
    return HeldChunk::narrow_bytes_max(cut->decoded_bytes(first(), count()));
  }
};

/// Consecutive sequences of one unit, delivered one after the other.
struct SequenceRun {
  std::int64_t use = 0;    // number of the unit in StepPlan::units
  std::int64_t first = 0;  // number of the sequence within the chunk
  std::int64_t count = 0;
};

/// The end of a step among the steps that are planned together, and the flags of the step.
struct StepEnd {
  std::int64_t run = 0;       // number after the last run in StepPlan::runs
  std::int64_t sequence = 0;  // number after the last sequence, as in StepPlan::slices and slots
  bool ends_sweep = false;
  bool ends_epoch = false;
  Place next;
};

/// All work for a step, or for several consecutive small steps. Small steps are planned together
/// because the fixed cost of each plan would exceed their work.
struct StepPlan {
  std::vector<StepEnd> steps;                         // at least one
  std::vector<std::shared_ptr<const RangeCut>> cuts;  // of the units
  std::vector<UnitUse> units;                         // each unit once, in the order of first use
  std::vector<SequenceRun> runs;     // in the order of delivery; each run belongs to one step
  std::vector<SampleRange> slices;   // empty, or one for each sequence
  std::vector<std::int64_t> slots;   // empty, or one for each sequence
  std::vector<std::int64_t> sweeps;  // one for each sequence if there are transforms
  std::vector<ChunkRange> load;      // held from this plan on; as named_range() names ranges
  std::vector<ChunkRange> release;   // not needed after this plan; named likewise
  std::int64_t packed_bytes = 0;     // estimate: for preparing, packing, and the minibatches
  std::int64_t made_bytes = 0;       // estimate: output of the transforms
  std::int64_t wide_bytes = 0;       // estimate: the sequences with the values as read
  std::int64_t table_bytes = 0;      // of index tables that no earlier plan used
  bool prepares_steps = false;       // whether the sequences of a step are prepared together
  bool needs_equal_streams = false;  // as Step::needs_equal_streams
  bool counts_wide = false;          // whether needed_bytes includes wide_bytes
  std::int64_t needed_bytes = 0;     // estimate: the least memory for the whole plan
  std::int64_t window_ranges = 0;    // ranges held after this plan
  std::int64_t window_chunks = 0;    // how many of these are whole chunks
  std::int64_t window_bytes = 0;     // memory of these ranges
  bool reads_late = false;           // whether steps read sequences of the window one by one

  /// Returns how much memory the plan itself takes.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;
};

/// Plans the steps of a sequencer, one after the other.
///
/// Threads: one call at a time.
class Planner {
 public:
  /// Means that memory is unlimited.
  static constexpr std::int64_t kAnyBytes = std::numeric_limits<std::int64_t>::max();

  /// The size of the read buffers of one running read.
  static constexpr std::int64_t kReadBufferBytes = std::int64_t{2} << 20;

  /// The most memory that steps planned together may take when packed.
  static constexpr std::int64_t kTogetherBytes = std::int64_t{1} << 20;

  /// Sequences may be read one by one if their mean size is at least this, because each read takes
  /// a few extra microseconds.
  static constexpr std::int64_t kLateBytes = std::int64_t{16} << 10;

  /// The least memory that is counted for the planner's tables of units. Plans of up to 127 units
  /// need no more, so the counted memory does not grow from plan to plan. With a limit, the planner
  /// drops larger tables after each plan, so that the tables of one plan do not count for the next.
  static constexpr std::int64_t kOwnBytesMin = std::int64_t{16} << 10;

  /// The window is read in large units if it takes at most `large_units_bytes`.
  ///
  /// Pre: deserializer, sequencer and packer outlive the planner.
  Planner(const Deserializer& deserializer, const Sequencer& sequencer, const Packer& packer,
          Place start, std::int64_t large_units_bytes = 0);

  /// Plans the next step, or up to `steps_max` small steps together. Only the first of them may
  /// load ranges or need units that are not held, and only the last may release ranges. Returns
  /// nothing at the end of the run. Several steps together do not exceed the memory limit; a single
  /// step may.
  ///
  /// Throws: what the sequencer and the index throw; InternalError if the sequencer names data that
  ///         the index does not have.
  [[nodiscard]] std::optional<StepPlan> next(std::int64_t steps_max = 1);

  /// Sets the sequences that are decoded already. The planner uses their units.
  ///
  /// Lifetime: `decoded` must outlive the planner.
  void set_decoded(const DecodedRanges& decoded) noexcept { decoded_ = &decoded; }

  /// Sets the transforms, and the index of the transformed data, whose memory counts against the
  /// limit.
  ///
  /// Lifetime: both must outlive the planner.
  void set_transforms(const TransformChain& chain, const Index& index) noexcept {
    chain_ = &chain;
    counted_ = &index;
  }

  /// Sets how much memory the order takes, which counts like the index.
  void set_order_bytes(std::int64_t bytes) noexcept { order_bytes_ = bytes; }

  /// Sets the memory limit. 0 means no limit.
  void set_memory_limit(std::int64_t bytes) noexcept { memory_limit_bytes_ = bytes; }

  /// Returns the memory of the index, the order and the planner itself, as of the last planned
  /// step.
  [[nodiscard]] std::int64_t index_bytes() const noexcept { return index_bytes_; }

 private:
  /// The cut of a sequence.
  struct FoundCut {
    std::shared_ptr<const RangeCut> cut;
    bool is_held = false;      // whether the cut's range is held
    bool is_reusable = false;  // whether later sequences of the range have the same cut
  };

  /// The data of a unit for estimating a step, kept together, because a random order needs them for
  /// each sequence.
  struct UseSizes {
    double bytes_per_sequence = 0;  // average of the chunk
    std::int64_t bytes_of_one = 0;  // average_bytes(1)
    std::int64_t sample_count = 0;  // of each sequence; negative if counts differ

    explicit UseSizes(const RangeCut& cut) noexcept
        : bytes_per_sequence(cut.bytes_per_sequence()),
          bytes_of_one(average_bytes(1)),
          sample_count(cut.constant_sample_count().value_or(-1)) {}

    /// Returns roughly how much memory `count` sequences take when decoded, from the average.
    [[nodiscard]] std::int64_t average_bytes(std::int64_t count) const noexcept {
      return static_cast<std::int64_t>(bytes_per_sequence * static_cast<double>(count)) + 1;
    }
  };

  [[nodiscard]] std::int64_t own_bytes() const noexcept;
  [[nodiscard]] std::int64_t counted_bytes() const;
  [[nodiscard]] std::optional<OrderWalk::Next> take_step();
  [[nodiscard]] bool add_next(StepPlan& plan, std::optional<OrderWalk::Next>& next);
  [[nodiscard]] FoundCut find_cut(const SequenceRef& ref);
  [[nodiscard]] std::shared_ptr<const RangeCut> cut_of_held(const ChunkRange& range) const;
  void load(const OrderWalk::Next& next, StepPlan& plan);
  void add(const Step& step, StepPlan& plan);
  void add_runs(const Step& step, StepPlan& plan);
  [[nodiscard]] std::int64_t add_use(const SequenceRef& ref, StepPlan& plan,
                                     std::int64_t& known_end);
  [[nodiscard]] std::int64_t add_unit(const RangeCut& cut, bool is_held, std::int64_t sequence,
                                      StepPlan& plan, std::int64_t& known_end);
  void release(const std::vector<ChunkRange>& ranges, StepPlan& plan);
  void add_bytes_to_pack(StepPlan& plan, const StepEnd& before);
  [[nodiscard]] std::int64_t count_whole(const StepPlan& plan, const StepEnd& before);
  [[nodiscard]] std::int64_t count_parts(const StepPlan& plan, const StepEnd& before,
                                         double& made_bytes, std::int64_t& wide_bytes);
  void estimate(StepPlan& plan) const;
  [[nodiscard]] bool may_be_narrow(const StepPlan& plan) const noexcept;
  void choose_forms(StepPlan& plan) const noexcept;
  void choose_reading(const OrderWalk::Next& next);

  const Deserializer& deserializer_;
  const Packer& packer_;
  OrderWalk walk_;
  std::optional<OrderWalk::Next> waiting_;  // the last step of the walk, if not yet planned
  std::exception_ptr waiting_error_;        // the error of the walk's next step
  std::int64_t large_units_bytes_;
  const DecodedRanges* decoded_ = nullptr;  // null if nothing is decoded
  const TransformChain* chain_ = nullptr;   // null if there are no transforms
  const Index* counted_;                    // the index whose memory counts
  const bool cuts_apart_;                   // whether pieces may be longer than Counts says
  std::int64_t order_bytes_ = 0;
  std::int64_t memory_limit_bytes_ = 0;
  std::int64_t index_bytes_ = 0;
  std::optional<bool> reads_late_;  // StepPlan::reads_late; empty before the first window
  HeldRanges held_;
  KnownCuts known_;                          // of the current plan
  UseNumbers numbers_;                       // likewise
  std::vector<std::int64_t> sample_counts_;  // of the last step; the next step reuses the memory
  std::vector<UseSizes> use_sizes_;          // of the last plan, like StepPlan::units
  std::int64_t table_bytes_ = 0;             // of the last plan, like StepPlan::table_bytes
  std::size_t last_runs_ = 0;                // number of runs of the last step
  std::size_t last_units_ = 0;               // number of units of the last plan

  // Whole chunks that steps use but do not hold.
  std::unordered_map<ChunkIndex, std::shared_ptr<const RangeCut>> loose_;
};

}  // namespace sheaf::internal
