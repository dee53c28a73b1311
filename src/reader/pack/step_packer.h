/// \file
/// Packs the units of an item into minibatches.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/packer.h"
#include "sheaf/position.h"
#include "sheaf/types.h"

#include "reader/fetch/wide_values.h"
#include "reader/prepare/preparer.h"
#include "reader/schedule.h"
#include "transform/chain.h"

namespace sheaf::internal {

/// Packs the steps of items.
///
/// Threads: any number of threads may call a StepPacker. Each thread needs its own item.
class StepPacker {
 public:
  /// `chain` has the transforms to apply; null if there are none. `source` has the data before the
  /// transforms. A memory limit of 0 means no limit. `notes_costs` is RunOptions::notes_costs.
  ///
  /// Lifetime: the packer, the chain, the source and the memory must outlive this object and the
  ///           minibatches.
  StepPacker(const Packer& packer, const TransformChain* chain, const Deserializer& source,
             std::shared_ptr<const std::vector<Stream>> streams,
             std::shared_ptr<const RunIdentity> run, std::pmr::memory_resource& memory,
             std::int64_t memory_limit_bytes = 0, bool notes_costs = false)
      : packer_(packer),
        source_(source),
        streams_(std::move(streams)),
        run_(std::move(run)),
        memory_(memory),
        memory_limit_bytes_(memory_limit_bytes),
        notes_costs_(notes_costs && !source.index().cost_measure().name.empty()) {
    if (chain != nullptr) preparer_.emplace(*chain, packer.takes_strides());
  }

  /// Returns the object that applies the transforms.
  ///
  /// Pre: there are transforms.
  [[nodiscard]] const Preparer& preparer() const noexcept { return *preparer_; }

  /// Returns whether minibatches have the costs of their sequences.
  [[nodiscard]] bool notes_costs() const noexcept { return notes_costs_; }

  /// Packs the steps of an item into `item.packed`, up to the first step that fails. Applies the
  /// transforms, unless that was done before.
  ///
  /// Pre:    all units of the item were read.
  /// Throws: what a unit, a transform or the packer throws.
  void pack_all(WorkItem& item) const;

 private:
  /// The data of a unit that packing needs for each run of sequences. Looked up once for each item.
  struct UnitLookup {
    const RangeCut* cut = nullptr;
    const HeldChunk* chunk = nullptr;  // null if the unit has an error
    const Chunk* rows = nullptr;       // null if columns are narrow, or if there is an error
    std::int64_t shift = 0;  // added to a number within the index's chunk, gives the number within
                             // `chunk`
    bool is_plain = false;   // whether the unit has no holes, no diagnostics and no error

    explicit UnitLookup(const Unit& unit) noexcept;
  };

  /// Temporary data for packing a step. The steps of an item share its memory.
  struct PackingScratch {
    explicit PackingScratch(const std::shared_ptr<const std::vector<Stream>>& streams)
        : list(streams), wide(*streams), pieces(*streams) {}

    void clear() noexcept;

    /// Looks up the units of an item.
    void set_units(const WorkItem& item);

    /// If the sequences of a step are scattered, prefetches the offsets of the sequences or, with
    /// `samples`, the offsets of their samples.
    void prefetch(const StepPlan& plan, std::size_t step, bool samples) const;

    struct Plain {
      std::size_t run_count = 0;
      std::size_t sequence_count = 0;
    };

    /// Counts the runs before the first run of a unit that is not plain. The runs have
    /// `sequence_count` sequences together.
    [[nodiscard]] Plain count_plain(std::span<const SequenceRun> plan_runs,
                                    std::size_t sequence_count) const noexcept;

    /// Collects the whole sequences of the first runs. add_waiting() lists them.
    ///
    /// Pre: `plain` is the result of count_plain().
    void add(std::span<const SequenceRun> plan_runs, const Plain& plain);

    /// Returns whether note_origin() has anything to note.
    [[nodiscard]] bool notes_origins() const noexcept {
      return notes_costs || !member_ends.empty();
    }

    /// Notes the member of a mixture, and the costs, for `count` sequences of a unit from number
    /// `first` on.
    void note_origin(std::int64_t use, std::int64_t first, std::int64_t count);

    /// Lists the collected whole sequences.
    void add_waiting();

    /// Lists the collected whole sequences, after which no more come. If all sequences of the step
    /// are widened together, their arrays come from `memory`, and the list offers them.
    void add_last(std::pmr::memory_resource& memory);

    /// Widens all pieces of narrow columns together, and sets their views in the list.
    void widen();

    std::vector<UnitLookup> units;      // the units of the item
    bool has_sequence_numbers = false;  // whether a unit has sequence offsets
    bool is_plain = true;               // whether all units are plain
    SequenceList list;
    std::vector<SequenceKey> keys;            // of the collected sequences
    std::vector<ChunkRun> runs;               // of the collected sequences
    WideValues wide;                          // the collected sequences of narrow columns
    WideValues pieces;                        // the pieces that are listed without values so far
    std::vector<SequenceView> views;          // temporary; of one such piece
    std::vector<std::int64_t> piece_numbers;  // the numbers of the pieces within the list
    std::vector<Chunk> chunks;                // widened chunks to which the list refers
    std::vector<Column> offered;              // the arrays of such a chunk
    std::vector<SequenceSlice> slices;        // temporary; of prepared sequences
    std::vector<std::int64_t> member_ends;    // Counts::member_ends(); empty: no mixture
    std::vector<std::int64_t> members;        // of the listed and collected sequences
    bool notes_costs = false;                 // whether minibatches have costs
    std::vector<std::int64_t> costs;          // of the same sequences
  };

  /// Packs one step of an item, given by its number within the item.
  ///
  /// Pre:    as pack_all(); if there are transforms, all parts were prepared.
  /// Throws: as pack_all(); ConfigError if padding makes the step too large for the memory limit.
  [[nodiscard]] Packed pack(WorkItem& item, std::size_t step, PackingScratch& rooms) const;
  void reserve_padding(WorkItem& item, const SequenceList& list) const;
  void add(const WorkItem& item, const Unit& unit, std::int64_t sequence, std::size_t number,
           PackingScratch& rooms) const;
  static void add_prepared(const WorkItem& item, std::size_t first, std::size_t end,
                           PackingScratch& rooms);

  /// Appends the errors and warnings of transforms for a prepared sequence, given by its number
  /// within the plan. Returns whether the sequence became a hole.
  [[nodiscard]] bool add_findings(const WorkItem& item, std::size_t number, const Unit& unit,
                                  std::int64_t sequence, std::vector<SequenceError>& errors) const;

  const Packer& packer_;
  const Deserializer& source_;
  std::optional<Preparer> preparer_;  // empty if there are no transforms
  std::shared_ptr<const std::vector<Stream>> streams_;
  std::shared_ptr<const RunIdentity> run_;
  std::pmr::memory_resource& memory_;
  std::int64_t memory_limit_bytes_;  // 0: no limit
  bool notes_costs_;
};

}  // namespace sheaf::internal
