/// \file
/// What the reader has to do for each step, worked out before any of it is done.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "sheaf/deserializer.h"
#include "sheaf/index.h"
#include "sheaf/packer.h"
#include "sheaf/sequencer.h"

namespace sheaf::internal {

/// A chunk, cut into units (index/units.h). The cut is a function of the index alone.
class ChunkCut {
 public:
  /// Throws: InternalError where the index has no such chunk; what the index throws.
  ChunkCut(const Index& index, ChunkIndex chunk);

  [[nodiscard]] ChunkIndex chunk() const noexcept { return chunk_; }
  [[nodiscard]] const SequenceTable& table() const noexcept { return *table_; }

  [[nodiscard]] std::int64_t unit_count() const noexcept {
    return static_cast<std::int64_t>(firsts_.size()) - 1;
  }

  /// The unit of a sequence.
  ///
  /// Pre: 0 <= sequence < table().size().
  [[nodiscard]] std::int64_t unit_of(std::int64_t sequence) const noexcept;

  /// Sequences of a unit.
  [[nodiscard]] std::int64_t first_of(std::int64_t unit) const noexcept {
    return firsts_[static_cast<std::size_t>(unit)];
  }
  [[nodiscard]] std::int64_t count_of(std::int64_t unit) const noexcept {
    return first_of(unit + 1) - first_of(unit);
  }

  /// About how much memory consecutive sequences take when decoded: their share of the chunk's, by
  /// bytes of the source.
  [[nodiscard]] std::int64_t decoded_bytes(std::int64_t first, std::int64_t count) const noexcept;

 private:
  [[nodiscard]] std::int64_t offset(std::int64_t sequence) const noexcept;

  ChunkIndex chunk_;
  ChunkInfo info_;
  std::shared_ptr<const SequenceTable> table_;
  std::vector<std::int64_t> firsts_;  // first sequence of each unit, then that after the last
};

/// A unit that a step needs, or some consecutive sequences of it.
struct UnitUse {
  std::shared_ptr<const ChunkCut> cut;
  std::int64_t unit = 0;
  std::int64_t part_first = 0;  // number within the chunk
  std::int64_t part_count = 0;  // 0: the whole unit

  [[nodiscard]] bool is_part() const noexcept { return part_count > 0; }
  [[nodiscard]] std::int64_t first() const noexcept {
    return is_part() ? part_first : cut->first_of(unit);
  }
  [[nodiscard]] std::int64_t count() const noexcept {
    return is_part() ? part_count : cut->count_of(unit);
  }
  [[nodiscard]] std::int64_t decoded_bytes() const noexcept {
    return cut->decoded_bytes(first(), count());
  }
};

/// Consecutive sequences of one unit, delivered one after the other.
struct SequenceRun {
  std::int64_t use = 0;    // the unit: number in StepPlan::units
  std::int64_t first = 0;  // number of the sequence within the chunk
  std::int64_t count = 0;
};

/// All that is to be done for one step.
struct StepPlan {
  std::vector<UnitUse> units;       // each once, in the order of first use
  std::vector<SequenceRun> runs;    // in the order of delivery
  std::vector<SampleRange> slices;  // empty, or one for each sequence
  std::vector<std::int64_t> slots;  // the same
  std::vector<ChunkRange> load;     // to be held from this step on
  std::vector<ChunkRange> release;
  bool ends_sweep = false;
  bool ends_epoch = false;
  Place next;
  std::int64_t packed_bytes = 0;   // estimate: to pack it, and of what comes out
  std::int64_t needed_bytes = 0;   // estimate: the least memory that the step can be done in
  std::int64_t window_chunks = 0;  // chunks held for the order's sake, and the bytes they take
  std::int64_t window_bytes = 0;

  /// Memory held by the plan itself.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;
};

/// Follows the sequencer, step after step.
///
/// Threads: one call at a time.
class Planner {
 public:
  /// Read buffers of the source that one running read may hold.
  static constexpr std::int64_t kReadBufferBytes = std::int64_t{2} << 20;

  /// Pre: the parts outlive the planner.
  Planner(const Deserializer& deserializer, const Sequencer& sequencer, const Packer& packer,
          Place start);

  /// The next step; nothing at the end of the run.
  ///
  /// Throws: what the sequencer and the index throw; InternalError where the sequencer names what
  ///         the index does not have.
  [[nodiscard]] std::optional<StepPlan> next();

  /// Memory that the index holds, as of the last step planned.
  [[nodiscard]] std::int64_t index_bytes() const noexcept { return index_bytes_; }

 private:
  [[nodiscard]] std::shared_ptr<const ChunkCut> cut_of(ChunkIndex chunk);
  void add_runs(const Step& step, StepPlan& plan);
  void move_window(const StepPlan& plan);
  void estimate(StepPlan& plan) const;

  const Deserializer& deserializer_;
  const Sequencer& sequencer_;
  const Packer& packer_;
  Place place_;
  std::int64_t index_bytes_ = 0;
  std::map<ChunkIndex, std::shared_ptr<const ChunkCut>> cuts_;  // of chunks not released
  std::map<ChunkIndex, std::int64_t> window_;                   // decoded bytes of chunks to hold
  std::int64_t window_bytes_ = 0;
};

}  // namespace sheaf::internal
