/// \file
/// The units in memory.

#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/extend/index.h"

#include "base/ledger.h"
#include "reader/error_account.h"
#include "reader/planner.h"

namespace sheaf::internal {

/// A unit that is being read, or was.
///
/// Threads: what reading gave (`chunk`, `diagnostics`, `error`) is written once, before is_ready is
///          set under the engine's lock, and may be read without a lock as long as a pin is held.
struct Unit {
  explicit Unit(UnitUse unit_use);

  /// The wrong places of one sequence, given by its number within the chunk.
  void append_places(std::int64_t sequence, std::vector<WrongPlace>& places) const;

  /// Keep what reading gave.
  ///
  /// Throws: InternalError where it is not what Deserializer::read promises.
  void set_content(Chunk content, Diagnostics content_diagnostics, std::int64_t stream_count);

  /// Keep what was decoded before.
  void set_content(DecodedRange content) noexcept;

  /// The number within `chunk` of a sequence that is given by its number within the index's chunk.
  [[nodiscard]] std::int64_t place_of(std::int64_t sequence) const noexcept {
    return sequence - first + chunk_first;
  }

  /// The entry that is number `i` where they are sequence by sequence.
  [[nodiscard]] const Diagnostics::Entry& entry(std::size_t i) const noexcept {
    return diagnostics.entries()[entry_order.empty() ? i : entry_order[i]];
  }

  /// Those of a sequence, by that number: [first, end).
  [[nodiscard]] std::pair<std::size_t, std::size_t> entries_of(
      std::int64_t sequence) const noexcept;

  /// Memory that it keeps.
  [[nodiscard]] std::int64_t held_bytes() const noexcept;

  const UnitUse use;
  const std::int64_t first;  // number of its first sequence within the chunk
  const std::int64_t count;  // of sequences

  std::shared_ptr<const Chunk> chunk;  // null where `error` says why
  std::int64_t chunk_first = 0;        // number of its first sequence within `chunk`
  Diagnostics diagnostics;
  std::vector<std::size_t> entry_order;  // sequence by sequence; empty: entries are so themselves
  std::exception_ptr error;

  // Below: under the engine's lock.
  bool is_ready = false;
  std::vector<std::int64_t> waiting;  // numbers of the steps that it keeps from being packed

  // Below: the store's own.
  Ledger::Token memory;  // in use once the unit was read
  std::int64_t pins = 0;
  std::int64_t packed_count = 0;  // sequences packed out of it so far
  bool is_held = false;
  bool is_released = false;
  std::list<Unit*>::iterator listed;  // in one of the store's lists
};

/// Units by range and number, which hold their memory.
///
/// A unit that steps refer to is pinned. One without pins stays for steps not planned yet, until
/// the sequencer released its range, or memory is short, or, where its range is not held, each of
/// its sequences was packed as often as the others (a sweep is through with it). Parts of units
/// are for one step: they go with their last pin.
///
/// Ranges are named as named_range() does. A unit belongs to the range that it was planned with:
/// units of two ranges may have the same sequences.
///
/// Threads: one call at a time.
/// Cost:    constant, but for a search among the units of the chunk, and for the units that a call
///          is about.
class UnitStore {
 public:
  /// Lifetime: the ledger must outlive the store, and the units that the store handed over.
  explicit UnitStore(Ledger& ledger) noexcept : ledger_(ledger) {}

  /// The unit, pinned once more; null where it is not in the store.
  [[nodiscard]] Unit* find_and_pin(const UnitUse& use);

  /// Add a unit, with a pin and with the memory that it is expected to take.
  ///
  /// Pre: it is not in the store.
  Unit& add_pinned(const UnitUse& use, std::int64_t bytes);

  /// Note that a unit was read, and which memory it takes.
  ///
  /// Pre: it was not noted before.
  void set_read(Unit& unit, std::int64_t bytes) noexcept;

  /// Give back a pin, when `packed_count` more of its sequences were packed.
  void unpin(Unit& unit, std::int64_t packed_count);

  /// Note that coming steps need a range, however often its sequences were packed, until it is
  /// released.
  void hold(const ChunkRange& range);

  /// Note that nobody needs a range any more, until a unit of the range is pinned again.
  void release(const ChunkRange& range);

  /// Memory of the units that nobody is known to need, without pins and of ranges that are not
  /// held: what evict() gives back before it takes held ones.
  [[nodiscard]] std::int64_t unpinned_bytes() const noexcept { return unpinned_bytes_; }

  /// Drop the unit without pins that was used the longest time ago; of held ranges only where there
  /// is no other, and only if these may go, too. False where there is none.
  [[nodiscard]] bool evict(bool also_held);

  /// Hand over the units dropped so far, so that they can be destroyed without the lock. They hold
  /// no memory any more.
  [[nodiscard]] std::vector<std::unique_ptr<Unit>> take_dropped() noexcept;

 private:
  static constexpr std::int64_t kWhole = -1;

  /// First and count of the range, the unit, first sequence of a part or kWhole.
  using Key = std::tuple<std::int64_t, std::int64_t, SequenceSpan, std::int64_t>;
  using Units = std::map<Key, std::unique_ptr<Unit>>;

  [[nodiscard]] static Key key_of(const UnitUse& use) noexcept {
    const ChunkRange& range = use.cut->range();
    return {range.first, range.count, use.unit, use.is_part() ? use.part_first : kWhole};
  }
  /// The units of the range of this name.
  [[nodiscard]] static std::pair<Units::iterator, Units::iterator> units_of(
      Units& units, const ChunkRange& range);

  [[nodiscard]] std::list<Unit*>& list_of(const Unit& unit) noexcept;
  void set_state(Unit& unit, std::int64_t pins, bool is_held);
  Units::iterator drop(Units& units, Units::iterator place);
  void drop(const Unit& unit);

  Ledger& ledger_;
  std::unordered_map<ChunkIndex, Units> chunks_;
  std::list<Unit*> pinned_;
  std::list<Unit*> unpinned_;  // not held; the one used the longest time ago first, here and below
  std::list<Unit*> kept_;      // held, without pins
  std::int64_t unpinned_bytes_ = 0;
  std::vector<std::unique_ptr<Unit>> dropped_;
};

}  // namespace sheaf::internal
