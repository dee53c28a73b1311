/// \file
/// A unit in memory.

#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/chunk.h"

#include "base/ledger.h"
#include "reader/deliver/error_account.h"
#include "reader/fetch/decoded_ranges.h"
#include "reader/fetch/held_chunk.h"
#include "reader/plan/planner.h"

namespace sheaf::internal {

/// Where a unit stands. docs/architecture.md has a picture.
///
/// Sequences that were decoded while the index was built are *found*: a step that needs them makes
/// a unit of them, which is pinned at once.
enum class UnitState : std::uint8_t {
  asked,   // steps wait for the unit to be read
  pinned,  // read; steps that are not packed yet need the unit
  kept,    // read; no step needs the unit now, but its range lies in the window
  idle,    // read; nobody is known to need the unit
};

/// What becomes of a unit when no step needs it any more.
enum class UnitFate : std::uint8_t {
  keep,   // its range lies in the window
  sweep,  // the unit stays until a sweep is through with it, or memory is short
  drop,   // no coming step needs the unit
};

/// A unit that is being read, or was.
///
/// Threads: what reading gave (`chunk`, `diagnostics`, `error`) is written once, before state
/// changes under the engine's lock, and may be read without a lock as long as a pin is held.
struct Unit {
  explicit Unit(UnitUse unit_use);

  /// The wrong places of one sequence, given by its number within the chunk.
  void append_places(std::int64_t sequence, std::vector<WrongPlace>& places) const;

  /// Keeps the chunk and the diagnostics that a read returned, in the form that the plan says.
  ///
  /// Throws: InternalError where it is not what Deserializer::read promises.
  void set_content(Chunk content, Diagnostics content_diagnostics, std::span<const Stream> streams);

  /// Keeps sequences that were decoded while the index was built.
  void set_content(FoundRange content) noexcept;

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

  std::shared_ptr<const HeldChunk> chunk;  // null where `error` says why
  std::int64_t chunk_first = 0;            // number of its first sequence within `chunk`
  Diagnostics diagnostics;
  std::vector<std::size_t> entry_order;  // sequence by sequence; empty: entries are so themselves
  std::exception_ptr error;

  // Below: under the engine's lock.
  UnitState state = UnitState::asked;
  std::vector<std::int64_t> waiting;  // numbers of the steps that it keeps from being packed

  [[nodiscard]] bool is_read() const noexcept { return state != UnitState::asked; }

  // Below: the cache's own.
  Ledger::Token memory;  // in use once the unit was read
  UnitFate fate = UnitFate::sweep;
  std::int64_t pins = 0;
  std::int64_t packed_count = 0;      // sequences packed out of it so far
  std::list<Unit*>::iterator listed;  // in the cache's list of its state
};

}  // namespace sheaf::internal
