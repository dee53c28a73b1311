/// \file
/// Units in memory.

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

/// The state of a unit. docs/architecture.md has a picture.
///
/// Sequences that were decoded while the index was built are *found*. A step that needs such
/// sequences makes a unit from them, which is immediately pinned.
enum class UnitState : std::uint8_t {
  asked,   // steps wait for the unit to be read
  pinned,  // read; steps that are not packed yet need the unit
  kept,    // read; no step needs the unit now, but its range lies in the window
  idle,    // read; no known step and no range of the window needs the unit
};

/// What happens to a unit when no planned step needs it any more.
enum class UnitFate : std::uint8_t {
  keep,   // the unit stays, because its range lies in the window
  sweep,  // the unit stays until a sweep has delivered all its sequences, or until memory is short
  drop,   // the unit goes, because no later step needs it
};

/// A unit that is being read or was read.
///
/// Threads: the results of reading (`chunk`, `diagnostics`, `error`) are written once, before the
///          state changes under the engine's lock. They may be read without a lock while a pin is
///          held.
struct Unit {
  /// Pre: a shared_ptr owns the cut of the use.
  explicit Unit(const UnitUse& unit_use);

  /// Appends the errors and warnings of a sequence, given by its number within the chunk.
  void append_errors(std::int64_t sequence, std::vector<SequenceError>& errors) const;

  /// Stores the chunk and the diagnostics of a read, in the form that the plan chose.
  ///
  /// Throws: InternalError if the result breaks a promise of Deserializer::read.
  void set_content(Chunk content, Diagnostics content_diagnostics, std::span<const Stream> streams);

  /// Stores sequences that were decoded while the index was built.
  void set_content(FoundRange content) noexcept;

  /// Converts the number of a sequence within the chunk of the index to its number within `chunk`.
  [[nodiscard]] std::int64_t index_in_chunk(std::int64_t sequence) const noexcept {
    return sequence - first + chunk_first;
  }

  /// Returns the i-th entry in the order of the sequences.
  [[nodiscard]] const Diagnostics::Entry& entry(std::size_t i) const noexcept {
    return diagnostics.entries()[entry_order.empty() ? i : entry_order[i]];
  }

  /// Returns the entries of a sequence as a range [first, end) of such numbers.
  [[nodiscard]] std::pair<std::size_t, std::size_t> entries_of(
      std::int64_t sequence) const noexcept;

  /// Returns how much memory the unit keeps.
  [[nodiscard]] std::int64_t held_bytes() const noexcept;

  const UnitUse use;
  const std::shared_ptr<const RangeCut> cut;  // of the use
  const std::int64_t first;  // number of the first sequence within the chunk of the index
  const std::int64_t count;  // number of sequences

  std::shared_ptr<const HeldChunk> chunk;  // null if there is an `error`
  std::int64_t chunk_first = 0;            // number of the first sequence within `chunk`
  Diagnostics diagnostics;
  std::vector<std::size_t> entry_order;  // sorts the entries by sequence; empty if they are sorted
  std::exception_ptr error;

  // The fields below are under the engine's lock. They have cache lines of their own, because other
  // threads read the fields above while these change.
  alignas(64) UnitState state = UnitState::asked;
  std::vector<std::int64_t> waiting;  // numbers of the items that wait for the unit

  [[nodiscard]] bool is_read() const noexcept { return state != UnitState::asked; }

  // The fields below are used only by the cache.
  Ledger::Token memory;  // in use after the unit was read
  UnitFate fate = UnitFate::sweep;
  std::int64_t pins = 0;
  std::int64_t packed_count = 0;      // how many of the unit's sequences were packed so far
  std::list<Unit*>::iterator listed;  // the unit's element in the cache's list for its state
};

}  // namespace sheaf::internal
