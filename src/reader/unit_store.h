/// \file
/// The units in memory.

#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "sheaf/chunk.h"
#include "sheaf/diagnostic.h"

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

  const UnitUse use;
  const std::int64_t first;  // number of its first sequence within the chunk
  const std::int64_t count;  // of sequences

  std::optional<Chunk> chunk;  // nothing where `error` says why
  Diagnostics diagnostics;
  std::vector<std::pair<std::int64_t, std::int64_t>> entry_of;  // sequence, entry; ascending
  std::exception_ptr error;

  // Below: under the engine's lock.
  bool is_ready = false;
  std::vector<std::int64_t> waiting;  // numbers of the steps that it keeps from being packed

  // Below: the store's own.
  std::int64_t bytes = 0;
  std::int64_t pins = 0;
  std::int64_t packed_count = 0;  // sequences packed out of it so far
  std::int64_t last_use = 0;
  bool is_released = false;
};

/// Units by chunk and number, with an account of their memory.
///
/// A unit that steps refer to is pinned. One without pins stays for steps not planned yet, until
/// the sequencer released its chunk, or memory is short, or, where its chunk is not held, each of
/// its sequences was packed as often as the others (a sweep is through with it).
///
/// Threads: one call at a time.
class UnitStore {
 public:
  /// The unit, pinned once more; null where it is not in the store.
  [[nodiscard]] Unit* find_and_pin(const UnitUse& use);

  /// Add a unit, with a pin and with the memory that it is expected to take.
  ///
  /// Pre: it is not in the store.
  Unit& add_pinned(const UnitUse& use, std::int64_t bytes);

  /// Correct the memory of a unit.
  void set_bytes(Unit& unit, std::int64_t bytes) noexcept;

  /// Give back a pin, when `packed_count` more of its sequences were packed.
  void unpin(Unit& unit, std::int64_t packed_count);

  /// Note that coming steps need a chunk, however often its sequences were packed, until it is
  /// released.
  void hold(ChunkIndex chunk) { held_.insert(chunk); }

  /// Note that nobody needs a chunk any more, until a unit of it is pinned again.
  void release(ChunkIndex chunk);

  /// Memory of the units without pins: what evict() can give back.
  [[nodiscard]] std::int64_t unpinned_bytes() const noexcept;

  /// Drop the unit without pins that was used the longest time ago; false where all are pinned.
  [[nodiscard]] bool evict();

  /// Memory of all units.
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }

  /// Hand over the units dropped so far, so that they can be destroyed without the lock.
  [[nodiscard]] std::vector<std::unique_ptr<Unit>> take_dropped() noexcept;

 private:
  using Key = std::pair<ChunkIndex, std::int64_t>;
  using Units = std::map<Key, std::unique_ptr<Unit>>;

  Units::iterator drop(Units::iterator place);

  Units units_;
  std::set<ChunkIndex> held_;
  std::vector<std::unique_ptr<Unit>> dropped_;
  std::int64_t bytes_ = 0;
  std::int64_t use_count_ = 0;
};

/// Memory that a chunk keeps, what it borrows from its read buffer included.
[[nodiscard]] std::int64_t held_bytes(const Chunk& chunk) noexcept;

}  // namespace sheaf::internal
