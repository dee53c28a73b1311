/// \file
/// What is to be done next, and what it takes. No threads, no work: the engine does both.

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

/// Where a slot stands; see schedule.cc.
enum class SlotState : std::uint8_t { planned, reserved, drawing, preparing, packing, filled };

/// A minibatch, and the wrong places of its sequences, holes or not.
struct Packed {
  Minibatch minibatch;
  std::vector<WrongPlace> places;
};

/// One step, or some that are planned together, from the plan to its delivery.
///
/// Threads: while it is packing, what the packing task writes is that task's alone.
struct Slot {
  std::int64_t number = 0;  // of the slot, from 0
  SlotState state = SlotState::planned;
  StepPlan plan;
  std::vector<Unit*> units;  // as plan.units, pinned; null where not yet asked for

  // What the ordered transforms drew, and Position::draws behind each step; both are empty where no
  // transform draws in the order of the plan.
  DrawnNumbers drawn;
  std::vector<std::vector<std::int64_t>> draws;

  // What the transforms made, in the order of the plan: each part is written by one task. Empty
  // where there are no transforms, or where packing prepares all.
  std::vector<std::unique_ptr<PreparedPart>> parts;

  // Written by packing: a minibatch for each step, or an error in place of one, the last.
  std::vector<Packed> packed;
  std::exception_ptr error;

  // The schedule's own.
  std::int64_t unread_count = 0;      // of units, that are not ready
  std::int64_t unprepared_count = 0;  // of parts
  std::int64_t read_count = 0;        // of units, that were read for it
  std::int64_t new_units = 0;         // of plan.units, not counting the last one of the slot before
  std::size_t asked_count = 0;        // of units, that are known not to be null from the first on
  bool has_pins = false;              // pin_units() has been there
  bool has_parts = false;             // and read_parts()
  std::int64_t planned_bytes = 0;
  Ledger::Token memory;  // of the minibatches: reserved for packing, then in use
};

/// The steps that were planned and not delivered, in order, the units in memory, and the work that
/// can be done now. How it decides is told at the top of schedule.cc.
///
/// Threads: one call at a time.
class Schedule {
 public:
  /// `draws` says whether random numbers are drawn in the order of the slots, before a slot is
  /// prepared.
  ///
  /// Pre:      thread_count >= 1.
  /// Lifetime: the ledger must outlive the schedule, and the slots and units that it handed over.
  Schedule(Ledger& ledger, std::int64_t thread_count, bool draws = false);

  // Planning.

  /// Whether more steps should be planned, or planning that is under way should go on.
  [[nodiscard]] bool wants_plan(bool is_under_way) const noexcept;

  /// Append what was planned next. What the limit is too small for becomes an error.
  void append(StepPlan plan, std::int64_t index_bytes);

  /// Append an error in place of a step: the last one.
  void append_error(std::exception_ptr error);

  /// Note that there are no more steps.
  void end() noexcept { is_planned_ = true; }

  // Work. What is taken must be finished.

  /// Find work: reserve memory for as many slots as the limit and the bounds allow.
  void advance();

  /// A part of a slot to prepare.
  struct Preparation {
    Slot* slot = nullptr;  // null where there is nothing to prepare
    PreparedPart* part = nullptr;
  };

  /// Pieces of work that the functions below have to give.
  [[nodiscard]] std::int64_t ready_count() const noexcept {
    return std::ssize(reads_) + std::ssize(preparations_) + std::ssize(packs_) +
           (slot_to_draw_ != nullptr ? 1 : 0);
  }

  /// The slot to draw numbers for; null where there is none, or where another one is taken.
  [[nodiscard]] Slot* take_draw() noexcept { return std::exchange(slot_to_draw_, nullptr); }

  /// The next unit to read, part to prepare, or slot to pack; null where there is none.
  [[nodiscard]] Unit* take_read() noexcept;
  [[nodiscard]] Preparation take_preparation() noexcept;
  [[nodiscard]] Slot* take_pack() noexcept;

  /// Pre: `unit` holds its content, which takes `bytes`, or an error.
  void finish_read(Unit& unit, std::int64_t bytes);

  /// Pre: the slot has its numbers, or an error.
  void finish_draw(Slot& slot);

  /// Pre: a part of the slot was prepared.
  void finish_preparation(Slot& slot);

  /// Pre: `slot` holds its minibatches or an error.
  void finish_pack(Slot& slot);

  // Delivery.

  /// Whether the front slot is filled, or there will never be one.
  [[nodiscard]] bool front_is_known() const noexcept;

  /// The slot to be delivered next; null at the end.
  ///
  /// Pre: front_is_known().
  [[nodiscard]] Slot* front() noexcept { return slots_.empty() ? nullptr : &slots_.front(); }
  [[nodiscard]] const Slot* front() const noexcept {
    return slots_.empty() ? nullptr : &slots_.front();
  }

  /// Remove the front slot, and hand it over: destroying it takes its time.
  ///
  /// Pre: it is filled, and its error, if it has one, did not come from planning.
  Slot pop_front();

  /// The caller is through with the minibatch of the last slot, which counts until then. Returns
  /// whether something may have waited for that.
  [[nodiscard]] bool end_delivery() noexcept;

  // Memory.

  /// Adds sequences that were decoded while the index was built.
  void add_found(std::vector<FoundRange> found) { units_.add_found(std::move(found)); }

  /// Hand over the units dropped so far, so that they can be destroyed without a lock.
  [[nodiscard]] std::vector<std::unique_ptr<Unit>> take_dropped() noexcept {
    return units_.take_dropped();
  }

  /// Note that they were destroyed, and gave back so much memory.
  void note_destroyed(std::int64_t bytes) noexcept { units_.note_destroyed(bytes); }

 private:
  [[nodiscard]] bool reserve(Slot& slot);
  [[nodiscard]] bool has_enough_reads(const UnitUse& use) const noexcept;
  [[nodiscard]] bool may_hold(std::int64_t bytes, bool is_front);
  [[nodiscard]] std::int64_t buffer_bytes(std::int64_t reads) const noexcept;
  void pin_units(Slot& slot);
  void read_parts(Slot& slot);
  void start_read(Slot& slot, std::size_t use);
  void pack_if_ready(Slot& slot);
  void start_packing(Slot& slot);
  void cut_into_parts(Slot& slot);
  void set_buffers() noexcept;

  Ledger& ledger_;
  const std::int64_t thread_count_;
  const std::int64_t ahead_max_;          // units read, and slots packed, beyond the front's
  const std::int64_t planned_units_max_;  // new units planned beyond the cursor

  std::deque<Slot> slots_;         // front first
  std::int64_t front_number_ = 0;  // of the front slot
  std::int64_t cursor_ = 0;        // slots whose memory is reserved
  bool is_planned_ = false;        // to the end
  UnitCache units_;
  std::deque<Unit*> reads_;
  std::deque<Preparation> preparations_;
  std::deque<Slot*> packs_;
  const bool draws_;
  std::int64_t next_drawn_ = 0;   // number of the next slot to draw for
  Slot* slot_to_draw_ = nullptr;  // not taken yet

  std::int64_t planned_units_ = 0;    // new_units of the slots beyond the cursor
  std::int64_t planned_bytes_ = 0;    // of the plans of all slots
  std::int64_t table_bytes_ = 0;      // StepPlan::table_bytes of all slots
  std::int64_t units_ahead_ = 0;      // read_count of the slots beyond the front
  std::int64_t reads_in_flight_ = 0;  // waiting or taken
  std::int64_t reads_taken_ = 0;      // and not finished
  std::int64_t reading_bytes_ = 0;    // bytes_to_read() of those in flight

  // Memory besides that of units and slots.
  Ledger::Token index_;      // and of the order
  Ledger::Token buffers_;    // of reads; those that wait for a thread have none in use
  Ledger::Token delivered_;  // the minibatches that the caller has
};

}  // namespace sheaf::internal
