/// \file
/// The units in memory.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sheaf/extend/index.h"

#include "base/ledger.h"
#include "reader/fetch/decoded_ranges.h"
#include "reader/fetch/unit.h"
#include "reader/plan/planner.h"

namespace sheaf::internal {

/// Units by range and number, which hold their memory. Each unit has one state.
///
/// A unit that steps refer to is pinned. A unit without pins stays for steps that are not planned
/// yet. Parts of units are for one step: they go with their last pin.
///
/// Ranges are named as named_range() does. A unit belongs to the range that it was planned with:
/// units of two ranges may have the same sequences.
///
/// Threads: one call at a time.
/// Cost:    constant, but for a search among the units of the chunk, and for the units that a call
///          is about.
class UnitCache {
 public:
  /// Lifetime: the ledger must outlive the cache, and the units that the cache handed over.
  explicit UnitCache(Ledger& ledger) noexcept : ledger_(ledger), found_memory_(ledger) {}

  /// Adds sequences that were decoded while the index was built. The cache keeps the sequences
  /// until a step needs the unit that they are.
  void add_found(std::vector<FoundRange> found);

  /// Returns the unit, pinned once more; null where the cache does not have the unit.
  [[nodiscard]] Unit* find_and_pin(const UnitUse& use);

  /// Adds a unit to be read, with a pin and with the memory that it is expected to take.
  ///
  /// Pre: the cache does not have the unit.
  Unit& add_pinned(const UnitUse& use, std::int64_t bytes);

  /// Notes that a unit was read, and which memory the unit takes.
  ///
  /// Pre: it was not noted before.
  void set_read(Unit& unit, std::int64_t bytes) noexcept;

  /// Gives back a pin, when `packed_count` more of the unit's sequences were packed.
  ///
  /// Pre: the unit was read.
  void unpin(Unit& unit, std::int64_t packed_count);

  /// Notes that the window has a range, until the range is released.
  void hold(const ChunkRange& range);

  /// Notes that nobody needs a range any more, until a unit of the range is pinned again.
  void release(const ChunkRange& range);

  /// Returns the memory of idle units: what evict() gives back before it takes kept ones.
  [[nodiscard]] std::int64_t idle_bytes() const noexcept { return idle_bytes_; }

  /// Drops the idle unit that was used the longest time ago. Where no unit is idle and `also_kept`
  /// is set, drops a kept unit. Returns whether the call dropped a unit.
  [[nodiscard]] bool evict(bool also_kept);

  /// Hands over the units dropped so far, so that they can be destroyed without the lock. They hold
  /// their memory until then.
  [[nodiscard]] std::vector<std::unique_ptr<Unit>> take_dropped() noexcept;

  /// Returns the memory of the units that were dropped and are not destroyed yet.
  [[nodiscard]] std::int64_t leaving_bytes() const noexcept { return leaving_bytes_; }

  /// Notes that dropped units were destroyed, which held so much.
  void note_destroyed(std::int64_t bytes) noexcept { leaving_bytes_ -= bytes; }

 private:
  static constexpr std::int64_t kWhole = -1;

  /// First and count of the range, the unit, first sequence of a part or kWhole.
  using Key = std::tuple<std::int64_t, std::int64_t, SequenceSpan, std::int64_t>;
  using Units = std::map<Key, std::unique_ptr<Unit>>;

  [[nodiscard]] static Key key_of(const UnitUse& use) noexcept {
    const ChunkRange& range = use.cut->range();
    return {range.first, range.count, use.unit, use.is_part() ? use.part_first : kWhole};
  }

  [[nodiscard]] Unit* make_of_found(const UnitUse& use);
  Unit& add(const UnitUse& use);

  /// The units of the range of this name.
  [[nodiscard]] static std::pair<Units::iterator, Units::iterator> units_of(
      Units& units, const ChunkRange& range);

  [[nodiscard]] std::list<Unit*>& list_of(UnitState state) noexcept {
    return lists_[static_cast<std::size_t>(state)];
  }
  void move(Unit& unit, UnitState state);
  Units::iterator drop(Units& units, Units::iterator place);
  void drop(const Unit& unit);

  Ledger& ledger_;
  std::unordered_map<ChunkIndex, Units> chunks_;
  std::array<std::list<Unit*>, 4> lists_;  // [state]: the one used the longest time ago first

  // By the sequences of a unit. They leave with the first step that needs the unit.
  std::unordered_map<ChunkIndex, std::map<SequenceSpan, FoundRange>> found_;
  Ledger::Token found_memory_;

  std::int64_t idle_bytes_ = 0;
  std::int64_t leaving_bytes_ = 0;
  std::vector<std::unique_ptr<Unit>> dropped_;
};

}  // namespace sheaf::internal
