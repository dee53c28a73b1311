/// \file
/// The cache of units in memory.

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

/// The units in memory, by range and sequences. Units hold their memory. Each unit has one state.
///
/// A unit that planned steps use is pinned. A unit without pins stays for steps that are not
/// planned yet. A part of a unit belongs to one step and is dropped with its last pin.
///
/// Ranges are named as named_range() does. A unit belongs to the range that it was planned with.
/// Units of two ranges may have the same sequences.
///
/// Threads: one call at a time.
/// Cost:    constant, plus a search among the units of the chunk, plus the work for each unit that
///          a call changes.
class UnitCache {
 public:
  /// Lifetime: the ledger must outlive the cache and the units taken from the cache.
  explicit UnitCache(Ledger& ledger) noexcept : ledger_(ledger), found_memory_(ledger) {}

  /// Adds sequences that were decoded while the index was built. The cache keeps the sequences
  /// until a step needs their unit.
  void add_found(std::vector<FoundRange> found);

  /// Pins and returns a unit. Returns null if the cache does not have the unit.
  [[nodiscard]] Unit* find_and_pin(const UnitUse& use);

  /// Adds a unit to be read, with one pin. Reserves `bytes`, the memory that the unit is expected
  /// to take.
  ///
  /// Pre: the cache does not have the unit.
  Unit& add_pinned(const UnitUse& use, std::int64_t bytes);

  /// Notes that a unit was read, and how much memory the unit takes.
  ///
  /// Pre: this was not called for the unit before.
  void set_read(Unit& unit, std::int64_t bytes) noexcept;

  /// Removes a pin, after `packed_count` more of the unit's sequences were packed.
  ///
  /// Pre: the unit was read.
  void unpin(Unit& unit, std::int64_t packed_count);

  /// Notes that the window has a range until the range is released.
  void hold(const ChunkRange& range);

  /// Notes that no step needs a range any more, until a unit of the range is pinned again.
  void release(const ChunkRange& range);

  /// Returns the memory of idle units, which evict() drops before kept units.
  [[nodiscard]] std::int64_t idle_bytes() const noexcept { return idle_bytes_; }

  /// Drops the least recently used idle unit. If no unit is idle and `also_kept` is set, drops a
  /// kept unit. Returns whether the call dropped a unit.
  ///
  /// Pre: there is a memory limit.
  [[nodiscard]] bool evict(bool also_kept);

  /// Removes and returns the units dropped so far, so that they can be destroyed without the lock.
  /// They hold their memory until then.
  [[nodiscard]] std::vector<std::unique_ptr<Unit>> take_dropped() noexcept;

  /// Returns the memory of units that were dropped but not yet destroyed.
  [[nodiscard]] std::int64_t leaving_bytes() const noexcept { return leaving_bytes_; }

  /// Notes that dropped units with `bytes` of memory were destroyed.
  void note_destroyed(std::int64_t bytes) noexcept { leaving_bytes_ -= bytes; }

 private:
  static constexpr std::int64_t kWhole = -1;

  /// First and count of the range, the unit, and the first sequence of a part or kWhole.
  using Key = std::tuple<std::int64_t, std::int64_t, SequenceSpan, std::int64_t>;
  using Units = std::map<Key, std::unique_ptr<Unit>>;

  [[nodiscard]] static Key key_of(const UnitUse& use) noexcept {
    const ChunkRange& range = use.cut->range();
    return {range.first, range.count, use.unit, use.is_part() ? use.part_first : kWhole};
  }

  [[nodiscard]] Unit* make_of_found(const UnitUse& use);
  Unit& add(const UnitUse& use);

  /// Returns the units of a range.
  [[nodiscard]] static std::pair<Units::iterator, Units::iterator> units_of(
      Units& units, const ChunkRange& range);

  [[nodiscard]] std::list<Unit*>& list_of(UnitState state) noexcept {
    return lists_[static_cast<std::size_t>(state)];
  }
  void move(Unit& unit, UnitState state);
  Units::iterator drop(Units& units, Units::iterator entry);
  void drop(const Unit& unit);

  Ledger& ledger_;
  std::unordered_map<ChunkIndex, Units> chunks_;
  std::array<std::list<Unit*>, 4> lists_;  // [state]: least recently used first; only with a limit

  // Found sequences by unit. The first step that needs the unit removes them.
  std::unordered_map<ChunkIndex, std::map<SequenceSpan, FoundRange>> found_;
  Ledger::Token found_memory_;

  std::int64_t idle_bytes_ = 0;
  std::int64_t leaving_bytes_ = 0;
  std::vector<std::unique_ptr<Unit>> dropped_;
};

}  // namespace sheaf::internal
