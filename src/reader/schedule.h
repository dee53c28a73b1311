/// \file
/// Decides which work comes next, and accounts for its memory. The schedule has no threads and does
/// no work itself; the engine does both.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "sheaf/minibatch.h"

#include "base/ledger.h"
#include "reader/deliver/error_account.h"
#include "reader/fetch/decoded_ranges.h"
#include "reader/fetch/unit_cache.h"
#include "reader/plan/planner.h"
#include "reader/prepare/preparer.h"

namespace sheaf::internal {

/// The state of an item; see schedule.cc.
enum class ItemState : std::uint8_t { planned, reserved, drawing, preparing, packing, filled };

/// A minibatch, and the errors and warnings of its sequences, holes included.
struct Packed {
  Minibatch minibatch;
  std::vector<SequenceError> errors;
};

/// One step, or several steps planned together, from planning to delivery.
///
/// Threads: while the item is in the state packing, only the packing task may touch the fields that
///          it writes.
struct WorkItem {
  std::int64_t number = 0;  // of the item, from 0
  ItemState state = ItemState::planned;
  StepPlan plan;
  std::vector<Unit*> units;  // as plan.units, pinned; null if not yet requested

  // The numbers of the ordered transforms, and Position::draws after each step. Both are empty if
  // no transform draws in the order of the plan.
  DrawnNumbers drawn;
  std::vector<std::vector<std::int64_t>> draws;

  // The output of the transforms, in the order of the plan. One task writes each part. Empty if
  // there are no transforms, or if packing applies them.
  std::vector<std::unique_ptr<PreparedRun>> parts;

  // Written by packing: a minibatch for each step. An error ends the list.
  std::vector<Packed> packed;
  std::exception_ptr error;

  // Used only by the schedule.
  std::int64_t unread_count = 0;      // units that have not been read
  std::int64_t unprepared_count = 0;  // parts that have not been prepared
  std::int64_t read_count = 0;        // units that are read for this item
  std::int64_t new_units = 0;         // of plan.units, without the last unit of the item before
  std::size_t asked_count = 0;        // the first so many of `units` are not null
  bool has_pins = false;              // whether pin_units() was called
  bool has_parts = false;             // whether read_parts() was called
  std::int64_t planned_bytes = 0;
  Ledger::Token memory;  // for the minibatches: reserved before packing, in use afterwards
};

/// The steps that are planned and not yet delivered, in order, the units in memory, and the work
/// that can be done now. The top of schedule.cc explains the rules.
///
/// Threads: one call at a time.
class Schedule {
 public:
  /// `draws` says whether random numbers are drawn in the order of the items, before an item is
  /// prepared.
  ///
  /// Pre:      thread_count >= 1.
  /// Lifetime: the ledger must outlive the schedule, and the items and units taken from it.
  Schedule(Ledger& ledger, std::int64_t thread_count, bool draws = false);

  // Planning.

  /// Returns whether more steps should be planned. `is_under_way`: whether planning is running
  /// already.
  [[nodiscard]] bool wants_plan(bool is_under_way) const noexcept;

  /// Appends a planned item. If the item does not fit the memory limit, appends an error instead.
  void append(StepPlan plan, std::int64_t index_bytes);

  /// Appends an error in place of a step. No steps follow.
  void append_error(std::exception_ptr error);

  /// Notes that there are no more steps.
  void end() noexcept { is_planned_ = true; }

  // Work. Every piece of work that is taken must be finished.

  /// Finds work: reserves memory for as many items as the limit and the bounds allow.
  void advance();

  /// A part of an item to prepare.
  struct Preparation {
    WorkItem* item = nullptr;  // null if there is nothing to prepare
    PreparedRun* part = nullptr;
  };

  /// Returns how many pieces of work the functions below can return.
  [[nodiscard]] std::int64_t ready_count() const noexcept {
    return std::ssize(reads_) + std::ssize(preparations_) + std::ssize(packs_) +
           (item_to_draw_ != nullptr ? 1 : 0);
  }

  /// Returns the item to draw numbers for. Returns null if there is none, or if another one is
  /// taken.
  [[nodiscard]] WorkItem* take_draw() noexcept { return std::exchange(item_to_draw_, nullptr); }

  /// Return the next unit to read, part to prepare, or item to pack; null if there is none.
  [[nodiscard]] Unit* take_read() noexcept;
  [[nodiscard]] Preparation take_preparation() noexcept;
  [[nodiscard]] WorkItem* take_pack() noexcept;

  /// Pre: `unit` has its content, which takes `bytes`, or an error.
  void finish_read(Unit& unit, std::int64_t bytes);

  /// Pre: the item has its numbers, or an error.
  void finish_draw(WorkItem& item);

  /// Pre: a part of the item was prepared.
  void finish_preparation(WorkItem& item);

  /// Pre: `item` has its minibatches or an error.
  void finish_pack(WorkItem& item);

  // Delivery.

  /// Returns whether the front item is filled, or the run has ended.
  [[nodiscard]] bool front_is_known() const noexcept;

  /// Returns the item to be delivered next; null at the end of the run.
  ///
  /// Pre: front_is_known().
  [[nodiscard]] WorkItem* front() noexcept { return items_.empty() ? nullptr : &items_.front(); }
  [[nodiscard]] const WorkItem* front() const noexcept {
    return items_.empty() ? nullptr : &items_.front();
  }

  /// Removes and returns the front item. The caller destroys the item, because that takes time.
  ///
  /// Pre: the item is filled, and its error, if any, did not come from planning.
  WorkItem pop_front();

  /// Notes that the caller no longer uses the last item's minibatch, whose memory counts until
  /// then. Returns whether work may have waited for this memory.
  [[nodiscard]] bool end_delivery() noexcept;

  // Memory.

  /// Adds sequences that were decoded while the index was built.
  void add_found(std::vector<FoundRange> found) { units_.add_found(std::move(found)); }

  /// Removes and returns the units dropped so far, so that they can be destroyed without a lock.
  [[nodiscard]] std::vector<std::unique_ptr<Unit>> take_dropped() noexcept {
    return units_.take_dropped();
  }

  /// Notes that dropped units with `bytes` of memory were destroyed.
  void note_destroyed(std::int64_t bytes) noexcept { units_.note_destroyed(bytes); }

 private:
  [[nodiscard]] bool reserve(WorkItem& item);
  [[nodiscard]] bool has_enough_reads(const UnitUse& use) const noexcept;
  [[nodiscard]] bool may_hold(std::int64_t bytes, bool is_front);
  [[nodiscard]] std::int64_t buffer_bytes(std::int64_t reads) const noexcept;
  void pin_units(WorkItem& item);
  void read_parts(WorkItem& item);
  void start_read(WorkItem& item, std::size_t use);
  void pack_if_ready(WorkItem& item);
  void start_packing(WorkItem& item);
  void cut_into_parts(WorkItem& item);
  void set_buffers() noexcept;

  Ledger& ledger_;
  const std::int64_t thread_count_;
  const std::int64_t ahead_max_;          // the most units read, and items packed, ahead of the
                                          // front
  const std::int64_t planned_units_max_;  // the most new units planned ahead of the cursor

  std::deque<WorkItem> items_;     // front first
  std::int64_t front_number_ = 0;  // of the front item
  std::int64_t cursor_ = 0;        // the number of items whose memory is reserved
  bool is_planned_ = false;        // whether planning has reached the end
  UnitCache units_;
  std::deque<Unit*> reads_;
  std::deque<Preparation> preparations_;
  std::deque<WorkItem*> packs_;
  const bool draws_;
  std::int64_t next_drawn_ = 0;       // number of the next item to draw for
  WorkItem* item_to_draw_ = nullptr;  // and not taken yet

  std::int64_t planned_units_ = 0;    // sum of new_units of the items after the cursor
  std::int64_t planned_bytes_ = 0;    // memory of the plans of all items
  std::int64_t table_bytes_ = 0;      // sum of StepPlan::table_bytes of all items
  std::int64_t units_ahead_ = 0;      // sum of read_count of the items after the front
  std::int64_t reads_in_flight_ = 0;  // waiting or taken
  std::int64_t reads_taken_ = 0;      // taken and not finished
  std::int64_t reading_bytes_ = 0;    // sum of bytes_to_read() of the reads in flight

  // Memory other than of units and items.
  Ledger::Token index_;      // the index and the order
  Ledger::Token buffers_;    // the buffers of reads; only running reads use theirs
  Ledger::Token delivered_;  // the minibatches that the caller still uses
};

}  // namespace sheaf::internal
