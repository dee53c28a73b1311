/// \file
/// The units of a slot become minibatches.

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

/// Packs the steps of slots.
///
/// Threads: any number of threads may call a packer of steps. Each thread needs a slot of its own.
class StepPacker {
 public:
  /// `chain` has the transforms to apply; null where there are none. `source` has the data before
  /// the transforms. A memory limit of 0 means none.
  ///
  /// Lifetime: the packer, the chain, the source and the memory must outlive this and the
  ///           minibatches.
  StepPacker(const Packer& packer, const TransformChain* chain, const Deserializer& source,
             std::shared_ptr<const std::vector<Stream>> streams,
             std::shared_ptr<const RunIdentity> run, std::pmr::memory_resource& memory,
             std::int64_t memory_limit_bytes = 0)
      : packer_(packer),
        source_(source),
        streams_(std::move(streams)),
        run_(std::move(run)),
        memory_(memory),
        memory_limit_bytes_(memory_limit_bytes) {
    if (chain != nullptr) preparer_.emplace(*chain, packer.takes_strides());
  }

  /// Returns what applies the transforms.
  ///
  /// Pre: there are transforms.
  [[nodiscard]] const Preparer& preparer() const noexcept { return *preparer_; }

  /// Packs all steps of a slot, up to the first one that fails: `slot.packed` has those before it.
  /// Applies the transforms, where that was not done yet.
  ///
  /// Pre:    all units of the slot were read.
  /// Throws: what a unit, a transform or the packer throws.
  void pack_all(Slot& slot) const;

 private:
  /// What packing asks of a unit for each run of its sequences, looked up once for a slot.
  struct UnitPlace {
    const RangeCut* cut = nullptr;
    const HeldChunk* chunk = nullptr;  // null where the unit has an error
    const Chunk* rows = nullptr;       // null where columns are narrow, and where there is an error
    std::int64_t shift = 0;  // from a number within the index's chunk to one within `chunk`
    bool is_plain = false;   // neither holes, nor diagnostics, nor an error

    explicit UnitPlace(const Unit& unit) noexcept;
  };

  /// What packing a step needs for a moment. Its memory serves the steps of a slot.
  struct Rooms {
    explicit Rooms(const std::shared_ptr<const std::vector<Stream>>& streams)
        : list(streams), wide(*streams), pieces(*streams) {}

    void clear() noexcept;

    /// Looks up the units of a slot.
    void set_units(const Slot& slot);

    /// Prefetches what says where the data of a step's sequences lie, where the sequences are
    /// scattered: first the places of their samples, and with `samples` the places of their values.
    void prefetch(const StepPlan& plan, std::size_t step, bool samples) const;

    struct Plain {
      std::size_t run_count = 0;
      std::size_t sequence_count = 0;
    };

    /// Returns how many runs there are before the first one of a unit that is not plain.
    [[nodiscard]] Plain count_plain(std::span<const SequenceRun> plan_runs) const noexcept;

    /// Lets the whole sequences of the first runs wait to be listed.
    ///
    /// Pre: `plain` is what count_plain() returned.
    void add(std::span<const SequenceRun> plan_runs, const Plain& plain);

    /// Notes the member of a mixture that sequences of a unit come from.
    void note_member(std::int64_t use, std::int64_t count);

    /// Lists the whole sequences that wait.
    void add_waiting();

    /// Gives the list the values of pieces of narrow columns, all together.
    void widen();

    std::vector<UnitPlace> units;       // of the slot
    bool has_sequence_numbers = false;  // some unit
    SequenceList list;
    std::vector<SequenceKey> keys;            // of sequences that wait to be listed
    std::vector<ChunkRun> runs;               // the same
    WideValues wide;                          // of those of narrow columns
    WideValues pieces;                        // of sequences that are listed without values yet
    std::vector<SequenceView> views;          // of such a sequence
    std::vector<std::int64_t> piece_numbers;  // of these sequences, within the list
    std::vector<Chunk> chunks;                // widened, for the list to refer to
    std::vector<SequenceSlice> slices;        // of sequences that were prepared
    std::vector<std::int64_t> member_ends;    // chunks, as Counts tells them; empty: no mixture
    std::vector<std::int64_t> members;        // of the sequences that are listed, or wait
  };

  /// Packs one step of a slot, given by its number within the slot.
  ///
  /// Pre:    as pack_all(); where there are transforms, all parts were prepared.
  /// Throws: as pack_all(); ConfigError where padding makes the step too large for the memory
  /// limit.
  [[nodiscard]] Packed pack(Slot& slot, std::size_t step, Rooms& rooms) const;
  void reserve_padding(Slot& slot, const SequenceList& list) const;
  void add(const Slot& slot, const Unit& unit, std::int64_t sequence, std::size_t number,
           Rooms& rooms) const;
  static void add_prepared(const Slot& slot, std::size_t first, std::size_t end, Rooms& rooms);

  /// Appends what transforms found in a prepared sequence, given by its number within the plan.
  /// Returns whether the sequence is a hole for that.
  [[nodiscard]] bool add_findings(const Slot& slot, std::size_t number, const Unit& unit,
                                  std::int64_t sequence, std::vector<WrongPlace>& places) const;

  const Packer& packer_;
  const Deserializer& source_;
  std::optional<Preparer> preparer_;  // empty where there are no transforms
  std::shared_ptr<const std::vector<Stream>> streams_;
  std::shared_ptr<const RunIdentity> run_;
  std::pmr::memory_resource& memory_;
  std::int64_t memory_limit_bytes_;  // 0: none
};

}  // namespace sheaf::internal
