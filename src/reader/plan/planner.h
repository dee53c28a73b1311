/// \file
/// What the reader has to do for each step, worked out before any of it is done.

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
#include "reader/plan/known_units.h"
#include "reader/plan/range_cut.h"
#include "transform/chain.h"

namespace sheaf::internal {

/// A unit that a step needs, or some consecutive sequences of it.
struct UnitUse {
  std::shared_ptr<const RangeCut> cut;
  SequenceSpan unit;
  std::int64_t part_first = 0;  // number within the chunk
  std::int64_t part_count = 0;  // 0: the whole unit
  bool is_held = false;         // the range is held, at least for this step
  bool is_last = false;         // no later step needs it
  UnitForm form = UnitForm::as_read;

  [[nodiscard]] bool is_part() const noexcept { return part_count > 0; }
  [[nodiscard]] std::int64_t first() const noexcept { return is_part() ? part_first : unit.first; }
  [[nodiscard]] std::int64_t count() const noexcept {
    return is_part() ? part_count : unit.count();
  }

  /// About how much memory it takes: to know of its sequences, and to hold them.
  [[nodiscard]] std::int64_t row_bytes() const noexcept { return cut->row_bytes(count()); }
  [[nodiscard]] std::int64_t bytes() const noexcept {
    return cut->held_bytes(first(), count()) + row_bytes();
  }

  /// The same before it is known how narrow values are.
  [[nodiscard]] std::int64_t bytes_as_read() const noexcept {
    return cut->decoded_bytes(first(), count()) + row_bytes();
  }

  /// About how much it is to read it.
  [[nodiscard]] std::int64_t bytes_to_read() const noexcept {
    return cut->bytes_to_read(first(), count());
  }

  /// The memory of what there is while it is read, beyond that and the buffer that each read has.
  /// A narrow copy is made while the values are there as they were read.
  [[nodiscard]] std::int64_t reading_bytes() const noexcept {
    return cut->long_text_bytes(first(), count()) +
           (form == UnitForm::narrow ? narrow_copy_bytes() : 0);
  }

  /// The most memory that a narrow copy takes.
  [[nodiscard]] std::int64_t narrow_copy_bytes() const noexcept {
    return HeldChunk::narrow_bytes_max(cut->decoded_bytes(first(), count()));
  }
};

/// Consecutive sequences of one unit, delivered one after the other.
struct SequenceRun {
  std::int64_t use = 0;    // the unit: number in StepPlan::units
  std::int64_t first = 0;  // number of the sequence within the chunk
  std::int64_t count = 0;
};

/// Where a step ends among those that are planned together, and what it says of itself.
struct StepEnd {
  std::int64_t run = 0;       // behind its last one: number in StepPlan::runs
  std::int64_t sequence = 0;  // the same, in StepPlan::slices and slots
  bool ends_sweep = false;
  bool ends_epoch = false;
  Place next;
};

/// All that is to be done for a step, or for small ones that follow each other: what is done for
/// all of them at once would take longer than they do.
struct StepPlan {
  std::vector<StepEnd> steps;        // at least one
  std::vector<UnitUse> units;        // each once, in the order of first use
  std::vector<SequenceRun> runs;     // in the order of delivery; each of one step
  std::vector<SampleRange> slices;   // empty, or one for each sequence
  std::vector<std::int64_t> slots;   // the same
  std::vector<std::int64_t> sweeps;  // one for each sequence where there are transforms
  std::vector<ChunkRange> load;      // to be held from here on; as named_range() names them
  std::vector<ChunkRange> release;   // not needed behind this; the same
  std::int64_t packed_bytes = 0;     // estimate: to prepare and pack it, and of what comes out
  std::int64_t made_bytes = 0;       // estimate: what transforms make
  std::int64_t wide_bytes = 0;       // estimate: its sequences as they were read
  std::int64_t table_bytes = 0;      // of the tables of the index that no plan before had
  bool prepares_steps = false;       // whether the sequences of a step are prepared together
  bool needs_equal_streams = false;  // as Step::needs_equal_streams
  bool counts_wide = false;          // whether needed_bytes has them: narrow sizes are known
  std::int64_t needed_bytes = 0;     // estimate: the least memory that all of it can be done in
  std::int64_t window_ranges = 0;    // held for the order's sake behind this
  std::int64_t window_chunks = 0;    // those of them that are whole chunks
  std::int64_t window_bytes = 0;     // that all of them take
  bool reads_late = false;           // steps read what they take of the window one by one

  /// Memory held by the plan itself.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;
};

/// Follows the sequencer, step after step.
///
/// Threads: one call at a time.
class Planner {
 public:
  /// Memory is no matter.
  static constexpr std::int64_t kAnyBytes = std::numeric_limits<std::int64_t>::max();

  /// Read buffers of the source that one running read may hold.
  static constexpr std::int64_t kReadBufferBytes = std::int64_t{2} << 20;

  /// Steps are planned together that take no more memory than this when packed, all in all.
  static constexpr std::int64_t kTogetherBytes = std::int64_t{256} << 10;

  /// The mean size of sequences that may be read one by one: reading takes a few microseconds
  /// besides.
  static constexpr std::int64_t kLateBytes = std::int64_t{16} << 10;

  /// The least that is counted for what planning keeps for itself. Plans of a few hundred units
  /// need no more, so that the account does not grow from plan to plan.
  static constexpr std::int64_t kOwnBytesMin = std::int64_t{16} << 10;

  /// What is held is read in large units while all of it takes no more than `large_units_bytes`.
  ///
  /// Pre: the parts outlive the planner.
  Planner(const Deserializer& deserializer, const Sequencer& sequencer, const Packer& packer,
          Place start, std::int64_t large_units_bytes = 0);

  /// The next step; or up to so many that are small, of which only the first one loads something or
  /// needs what is not held, and only the last one releases something. Nothing at the end of the
  /// run. Several together need no more memory than the limit; the first one may.
  ///
  /// Throws: what the sequencer and the index throw; InternalError where the sequencer names what
  ///         the index does not have.
  [[nodiscard]] std::optional<StepPlan> next(std::int64_t steps_max = 1);

  /// Tell what is decoded already: its units begin where that does.
  ///
  /// Lifetime: `decoded` must outlive the planner.
  void set_decoded(const DecodedRanges& decoded) noexcept { decoded_ = &decoded; }

  /// Tells which transforms are applied, and the index of what they give, which counts against the
  /// memory limit.
  ///
  /// Lifetime: both must outlive the planner.
  void set_transforms(const TransformChain& chain, const Index& index) noexcept {
    chain_ = &chain;
    counted_ = &index;
  }

  /// Tell how much memory the order takes: it counts as the index does.
  void set_order_bytes(std::int64_t bytes) noexcept { order_bytes_ = bytes; }

  /// Tell how much memory there is for all; 0: any.
  void set_memory_limit(std::int64_t bytes) noexcept { memory_limit_bytes_ = bytes; }

  /// Returns the memory that the index, the order and the planner itself hold, as of the last step
  /// planned.
  [[nodiscard]] std::int64_t index_bytes() const noexcept { return index_bytes_; }

 private:
  /// Numbers of the units of one plan, by cut and unit.
  class UseNumbers;

  /// What the estimate of a step asks of each unit, in one place: a random order asks for each
  /// sequence.
  struct UseSizes {
    double bytes_per_sequence = 0;  // of the chunk
    std::int64_t bytes_of_one = 0;  // average_bytes(1)
    std::int64_t sample_count = 0;  // of each sequence; below 0 where counts differ

    explicit UseSizes(const RangeCut& cut) noexcept
        : bytes_per_sequence(cut.bytes_per_sequence()),
          bytes_of_one(average_bytes(1)),
          sample_count(cut.constant_sample_count().value_or(-1)) {}

    /// Returns about how much memory so many of its sequences take when decoded: their share by
    /// number, without a look at them.
    [[nodiscard]] std::int64_t average_bytes(std::int64_t count) const noexcept {
      return static_cast<std::int64_t>(bytes_per_sequence * static_cast<double>(count)) + 1;
    }
  };

  [[nodiscard]] std::int64_t counted_bytes() const;
  [[nodiscard]] std::optional<OrderWalk::Next> take_step();
  [[nodiscard]] bool add_next(StepPlan& plan, UseNumbers& numbers,
                              std::optional<OrderWalk::Next>& next);
  [[nodiscard]] UnitUse use_of(const SequenceRef& ref);
  [[nodiscard]] std::shared_ptr<const RangeCut> cut_of_held(const ChunkRange& range) const;
  void load(const OrderWalk::Next& next, StepPlan& plan);
  void add(const Step& step, StepPlan& plan, UseNumbers& numbers);
  void add_runs(const Step& step, StepPlan& plan, UseNumbers& numbers);
  [[nodiscard]] std::int64_t add_use(const SequenceRef& ref, StepPlan& plan, UseNumbers& numbers,
                                     std::int64_t& known_end);
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
  std::optional<OrderWalk::Next> waiting_;  // the walk's last step, not yet planned
  std::exception_ptr waiting_error_;        // of the walk's next step
  std::int64_t large_units_bytes_;
  const DecodedRanges* decoded_ = nullptr;  // null: nothing
  const TransformChain* chain_ = nullptr;   // likewise
  const Index* counted_;                    // whose memory counts
  std::int64_t order_bytes_ = 0;
  std::int64_t memory_limit_bytes_ = 0;
  std::int64_t index_bytes_ = 0;
  std::optional<bool> reads_late_;  // what steps take of the window; empty before the first window
  HeldRanges held_;
  KnownUnits known_;
  std::vector<std::int64_t> sample_counts_;  // of the last step: its room serves the next one
  std::vector<UseSizes> use_sizes_;          // of the last plan, as StepPlan::units
  std::int64_t table_bytes_ = 0;             // the same, as StepPlan::table_bytes

  // Whole chunks that steps named without holding them.
  std::unordered_map<ChunkIndex, std::shared_ptr<const RangeCut>> loose_;
};

}  // namespace sheaf::internal
