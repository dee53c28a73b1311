// A step, or several small steps together, become an item in a queue. The caller takes items from
// the front in order, no matter which item was finished first. An item has these states in turn:
//
//   planned    the units of its sequences are known
//   reserved   all units are requested, and memory is reserved for them and for packing
//   drawing    all units are read, all earlier items have their random numbers, and the item draws
//              its own; only if transforms draw in the order of the plan
//   preparing  all units are read, and several tasks apply the transforms; only if the transforms
//              produce much data
//   packing    a task packs the item, or will do so
//   filled     the item has its minibatches, or the error that the caller gets instead
//
// One cursor walks the items in order and reserves memory: unit by unit, then for packing the item.
// The cursor stops at the memory limit or at the bounds on reading ahead. So all reserved memory
// belongs to items up to the cursor, or to units that can be dropped. When the items before the
// cursor have been delivered, the cursor's item is the front, and all reserved memory is its own.
// Planning makes an item that does not fit into the limit an error. Therefore the front can always
// proceed: there is no deadlock, and as long as the estimates are not too low, the limit holds. (If
// estimates are too low, the front still proceeds, one read at a time.)
//
// The threads read the window of a random order for later steps as fast as they can. The front may
// read only parts of units, so that the first minibatch does not wait for a whole window. Each
// front also reads a few megabytes of whole units, so that the window fills up even if the caller
// takes minibatches quickly.
//
// The ledger counts the index, the planner's data about units, units until they are destroyed,
// minibatches that are not delivered yet, the last delivered minibatch until the next call of
// next(), read buffers, and the ErrorAccount's bits. The ledger does not count plans, nor the large
// tables of a plan that is being made, because their bound is small. But plans keep tables of the
// index in memory. So with a limit, the memory of these tables bounds how far planning goes ahead.

#include "reader/schedule.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "sheaf/error.h"

#include "base/text.h"
#include "base/unit_size.h"

namespace sheaf::internal {
namespace {

// Enough items are planned to keep reads going while the planner scans the next chunk.
constexpr std::int64_t kSlotsMax = 8192;
constexpr std::int64_t kSlotsLow = 6144;  // stopped planning starts again below this
constexpr std::int64_t kReservedMax = 1024;
constexpr std::int64_t kPlannedUnits = 64;
constexpr std::int64_t kPartsPerThread = 4;
constexpr std::int64_t kPartShare = 8;   // parts below 1/8 of a unit are read on their own
constexpr std::int64_t kWholeUnits = 8;  // how many units of the usual size the front reads whole
constexpr std::int64_t kPlanBytesMax = std::int64_t{4} << 20;
constexpr std::int64_t kTableShare = 8;  // 1/8 of the limit is for the tables that plans keep in
                                         // memory

std::exception_ptr too_little_memory(std::int64_t limit_bytes, const StepPlan& plan) {
  const std::int64_t needed_bytes = plan.needed_bytes;
  if (plan.window_ranges == 0 || plan.reads_late) {
    return std::make_exception_ptr(ConfigError(formatted(
        "memory_limit_bytes: {0} bytes are too few: this minibatch needs {1} bytes; set the limit "
        "to {1} or more, or make minibatches smaller",
        limit_bytes, needed_bytes)));
  }
  const std::int64_t room =
      std::max<std::int64_t>(0, limit_bytes - (needed_bytes - plan.window_bytes));
  if (plan.window_chunks < plan.window_ranges) {
    const double share = 100.0 * static_cast<double>(room) /
                         static_cast<double>(std::max<std::int64_t>(1, plan.window_bytes));
    return std::make_exception_ptr(ConfigError(formatted(
        "memory_limit_bytes: {0} bytes are too few for the window of this worker, which takes {2} "
        "bytes: it needs {1} bytes; set the limit to {1} or more, or {3}",
        limit_bytes, needed_bytes, plan.window_bytes,
        share >= 1 ? formatted("make the window at most {} % of what it is",
                               static_cast<std::int64_t>(share))
                   : std::string("make the window and minibatches smaller"))));
  }
  // Assumes that chunks have roughly equal sizes.
  const std::int64_t chunk_bytes =
      std::max<std::int64_t>(1, plan.window_bytes / plan.window_chunks);
  const std::int64_t fitting = room / chunk_bytes;
  return std::make_exception_ptr(ConfigError(formatted(
      "memory_limit_bytes: {0} bytes are too few for a window of {2} chunks of this worker: it "
      "needs {1} bytes; set the limit to {1} or more, or {3}",
      limit_bytes, needed_bytes, plan.window_chunks,
      fitting > 0 ? formatted("a window of at most {} such chunks", fitting)
                  : std::string("make chunks and minibatches smaller"))));
}

bool is_same(const UnitUse& a, const UnitUse& b) noexcept {
  return a.cut->range() == b.cut->range() && a.unit == b.unit;
}

}  // namespace

Schedule::Schedule(Ledger& ledger, std::int64_t thread_count, bool draws)
    : ledger_(ledger),
      thread_count_(thread_count),
      ahead_max_(2 * thread_count + 2),
      planned_units_max_(std::max(kPlannedUnits, 4 * thread_count)),
      units_(ledger),
      draws_(draws),
      index_(ledger),
      buffers_(ledger),
      delivered_(ledger) {}

// Planning.

bool Schedule::wants_plan(bool is_under_way) const noexcept {
  if (is_planned_) return false;
  const std::int64_t item_count = std::ssize(items_);
  if (item_count < 2) return true;
  if (ledger_.has_limit() && table_bytes_ > ledger_.limit_bytes() / kTableShare) return false;
  return item_count < (is_under_way ? kSlotsMax : kSlotsLow) && planned_bytes_ < kPlanBytesMax &&
         planned_units_ < planned_units_max_;
}

void Schedule::append(StepPlan plan, std::int64_t index_bytes) {
  index_.use(index_bytes);
  if (ledger_.has_limit() && plan.needed_bytes > ledger_.limit_bytes()) {
    append_error(too_little_memory(ledger_.limit_bytes(), plan));
    return;
  }
  std::int64_t new_units = std::ssize(plan.units);
  if (!items_.empty() && !items_.back().plan.units.empty() && !plan.units.empty() &&
      is_same(items_.back().plan.units.back(), plan.units.front())) {
    --new_units;
  }
  WorkItem& item = items_.emplace_back();
  item.number = front_number_ + std::ssize(items_) - 1;
  item.plan = std::move(plan);
  item.new_units = new_units;
  planned_units_ += new_units;
  item.planned_bytes = item.plan.memory_bytes();
  planned_bytes_ += item.planned_bytes;
  table_bytes_ += item.plan.table_bytes;
}

void Schedule::append_error(std::exception_ptr error) {
  is_planned_ = true;
  WorkItem& item = items_.emplace_back();
  item.number = front_number_ + std::ssize(items_) - 1;
  item.error = std::move(error);
  item.state = ItemState::filled;
}

// Work.

void Schedule::advance() {
  while (cursor_ < std::min(kReservedMax, std::ssize(items_))) {
    WorkItem& item = items_[static_cast<std::size_t>(cursor_)];
    if (item.state == ItemState::filled || !reserve(item)) break;
    ++cursor_;
    planned_units_ -= item.new_units;
    item.state = ItemState::reserved;
    pack_if_ready(item);
  }
}

// Reserves the memory that an item still lacks. Returns false if the item has to wait.
bool Schedule::reserve(WorkItem& item) {
  const bool is_front = item.number == front_number_;
  if (!item.has_pins) pin_units(item);
  if (is_front && !item.has_parts) read_parts(item);
  const std::vector<UnitUse>& uses = item.plan.units;
  for (std::size_t& i = item.asked_count; i < uses.size(); ++i) {
    if (item.units[i] != nullptr) continue;
    if (!is_front && has_enough_reads(uses[i])) return false;
    const std::int64_t more_buffers =
        buffer_bytes(reads_in_flight_ + 1) - buffer_bytes(reads_in_flight_);
    const std::int64_t unit_bytes = uses[i].bytes_as_read() + uses[i].reading_bytes();
    if (!may_hold(unit_bytes + more_buffers, is_front)) return false;
    start_read(item, i);
  }
  // Narrow units are widened for packing. If the limit admitted the units as read, being narrow
  // saves more than widening takes, so the front drops nothing for widening.
  const std::int64_t packed_bytes = item.plan.packed_bytes;
  const std::int64_t wide_bytes = ledger_.has_limit() ? item.plan.wide_bytes : 0;
  const bool drops = item.plan.counts_wide || !is_front;
  const bool has_all = drops ? may_hold(packed_bytes + wide_bytes, is_front)
                             : ledger_.has_room(packed_bytes + wide_bytes);
  if (!has_all && (drops || !may_hold(packed_bytes, is_front))) return false;
  item.memory = Ledger::Token(ledger_);
  item.memory.reserve(has_all ? packed_bytes + wide_bytes : packed_bytes);
  return true;
}

// Returns whether enough reads are in flight. Memory for the window is always available, so for
// held units this bounds only the reads to what keeps the threads busy. A window may have very many
// small units.
bool Schedule::has_enough_reads(const UnitUse& use) const noexcept {
  if (!use.is_held) return units_ahead_ >= ahead_max_;
  return reads_in_flight_ >= ahead_max_ && reading_bytes_ >= ahead_max_ * unit_size_bytes();
}

// Marks loaded ranges as held, pins the units in memory, and then releases ranges. The step's units
// in released ranges are either pinned now, or will be read for this step only.
void Schedule::pin_units(WorkItem& item) {
  item.has_pins = true;
  for (const ChunkRange& range : item.plan.load) units_.hold(range);
  item.units.resize(item.plan.units.size());
  for (std::size_t i = 0; i < item.units.size(); ++i) {
    Unit* const unit = item.units[i] = units_.find_and_pin(item.plan.units[i]);
    if (unit == nullptr || unit->is_read()) continue;
    unit->waiting.push_back(item.number);
    ++item.unread_count;
  }
  for (const ChunkRange& range : item.plan.release) units_.release(range);
}

// Splits large reads, because the caller waits for the front. In a random order, the front may take
// only a few sequences from each of very many units, and reading all of these units takes long. So
// some units are read whole. From the others, only the needed sequences are read now, and the whole
// units are read for later steps. A source that reads chunks only whole would decode the same chunk
// for each part, so its units are read whole.
void Schedule::read_parts(WorkItem& item) {
  item.has_parts = true;
  StepPlan& plan = item.plan;
  std::vector<std::int64_t> needed(plan.units.size());
  for (const SequenceRun& run : plan.runs) needed[static_cast<std::size_t>(run.use)] += run.count;
  std::vector<bool> is_split(plan.units.size());
  std::int64_t room_bytes = kWholeUnits * unit_size_bytes();  // for units to read whole
  for (std::size_t i = 0; i < plan.units.size(); ++i) {
    const UnitUse& use = plan.units[i];
    if (item.units[i] != nullptr || use.is_part() || !use.is_held || use.cut->is_decoded() ||
        !use.cut->reads_parts() || needed[i] > use.count() / kPartShare) {
      continue;
    }
    const std::int64_t bytes = use.bytes_to_read();
    is_split[i] = bytes > room_bytes;
    if (!is_split[i]) room_bytes -= bytes;
  }
  if (std::find(is_split.begin(), is_split.end(), true) == is_split.end()) return;

  std::vector<UnitUse> uses;
  std::vector<Unit*> units;
  std::vector<std::int64_t> new_use(plan.units.size());
  for (std::size_t i = 0; i < plan.units.size(); ++i) {
    if (is_split[i]) continue;
    new_use[i] = std::ssize(uses);
    uses.push_back(plan.units[i]);
    units.push_back(item.units[i]);
  }
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> part_of;  // by use and first
  for (SequenceRun& run : plan.runs) {
    const auto use = static_cast<std::size_t>(run.use);
    if (!is_split[use]) {
      run.use = new_use[use];
      continue;
    }
    const auto [part, is_new] = part_of.try_emplace({run.use, run.first}, std::ssize(uses));
    if (is_new) {
      uses.push_back(plan.units[use]);
      uses.back().part_first = run.first;
      uses.back().part_count = run.count;
      units.push_back(nullptr);
    }
    UnitUse& shared = uses[static_cast<std::size_t>(part->second)];
    shared.part_count = std::max(shared.part_count, run.count);
    run.use = part->second;
  }
  plan.units = std::move(uses);
  item.units = std::move(units);
  item.asked_count = 0;
}

// Returns whether `bytes` more may be held, and drops unneeded units to make room. Items after the
// front drop only idle units, because units of the window would have to be read again. Dropped
// units count until they are destroyed. The front may exceed the limit, but not while a read is
// running, since that will free its buffer, and not while the caller has the previous minibatch. No
// unit is dropped to make up for the memory of that minibatch.
bool Schedule::may_hold(std::int64_t bytes, bool is_front) {
  const std::int64_t coming_bytes = is_front ? delivered_.held_bytes() : 0;
  const auto excess = [&] {
    return ledger_.excess_bytes(bytes) - units_.leaving_bytes() - coming_bytes;
  };
  if (excess() > 0 && (is_front || excess() <= units_.idle_bytes())) {
    while (excess() > 0 && units_.evict(is_front)) {
    }
  }
  return ledger_.has_room(bytes) || (is_front && reads_in_flight_ == 0 &&
                                     delivered_.held_bytes() == 0 && units_.leaving_bytes() == 0);
}

void Schedule::start_read(WorkItem& item, std::size_t use) {
  const UnitUse& unit_use = item.plan.units[use];
  Unit& unit = units_.add_pinned(unit_use, unit_use.bytes_as_read() + unit_use.reading_bytes());
  item.units[use] = &unit;
  unit.waiting.push_back(item.number);
  ++item.unread_count;
  ++item.read_count;
  if (item.number != front_number_) ++units_ahead_;
  ++reads_in_flight_;
  reading_bytes_ += unit_use.bytes_to_read();
  set_buffers();
  if (item.number == front_number_) {
    reads_.push_front(&unit);
  } else {
    reads_.push_back(&unit);
  }
}

void Schedule::pack_if_ready(WorkItem& item) {
  if (item.state != ItemState::reserved || item.unread_count > 0) return;
  if (item.number > front_number_ + ahead_max_) return;
  if (!draws_) {
    start_packing(item);
  } else if (item.number == next_drawn_) {
    item.state = ItemState::drawing;
    item_to_draw_ = &item;
  }
}

// Items draw one after the other, so the next item may have been waiting.
void Schedule::finish_draw(WorkItem& item) {
  ++next_drawn_;
  start_packing(item);
  const auto next = static_cast<std::size_t>(next_drawn_ - front_number_);
  if (next < items_.size()) pack_if_ready(items_[next]);
}

void Schedule::start_packing(WorkItem& item) {
  cut_into_parts(item);
  if (item.unprepared_count > 0) {
    item.state = ItemState::preparing;
    return;
  }
  item.state = ItemState::packing;
  packs_.push_back(&item);
}

// If transforms produce much data, several tasks share the work. There are more parts than threads,
// because one part may take longer than another. The number of parts does not change what is
// delivered.
void Schedule::cut_into_parts(WorkItem& item) {
  const auto add = [&](std::int64_t first, std::int64_t end) {
    auto part = std::make_unique<PreparedRun>();
    part->first = first;
    part->count = end - first;
    item.parts.push_back(std::move(part));
    preparations_.push_back({&item, item.parts.back().get()});
    ++item.unprepared_count;
  };
  if (item.plan.prepares_steps) {
    std::int64_t first = 0;
    for (const StepEnd& step : item.plan.steps)
      add(std::exchange(first, step.sequence), step.sequence);
    return;
  }
  const std::int64_t sequence_count = item.plan.steps.back().sequence;
  const std::int64_t part_count = std::min({sequence_count, kPartsPerThread * thread_count_,
                                            item.plan.made_bytes / Preparer::kPartBytes});
  if (part_count < 2) return;  // packing applies the transforms
  for (std::int64_t i = 0; i < part_count; ++i) {
    add(i * sequence_count / part_count, (i + 1) * sequence_count / part_count);
  }
}

Unit* Schedule::take_read() noexcept {
  if (reads_.empty()) return nullptr;
  Unit* const unit = reads_.front();
  reads_.pop_front();
  ++reads_taken_;
  set_buffers();
  return unit;
}

Schedule::Preparation Schedule::take_preparation() noexcept {
  if (preparations_.empty()) return {};
  const Preparation preparation = preparations_.front();
  preparations_.pop_front();
  return preparation;
}

WorkItem* Schedule::take_pack() noexcept {
  if (packs_.empty()) return nullptr;
  WorkItem* const item = packs_.front();
  packs_.pop_front();
  return item;
}

void Schedule::finish_read(Unit& unit, std::int64_t bytes) {
  reading_bytes_ -= unit.use.bytes_to_read();
  units_.set_read(unit, bytes + unit.use.row_bytes());
  --reads_in_flight_;
  --reads_taken_;
  set_buffers();
  for (const std::int64_t number : unit.waiting) {
    WorkItem& item = items_[static_cast<std::size_t>(number - front_number_)];
    --item.unread_count;
    pack_if_ready(item);
  }
  unit.waiting.clear();
}

void Schedule::finish_preparation(WorkItem& item) {
  if (--item.unprepared_count > 0) return;
  item.state = ItemState::packing;
  packs_.push_back(&item);
}

void Schedule::finish_pack(WorkItem& item) {
  std::int64_t bytes = 0;
  for (const Packed& packed : item.packed) bytes += packed.minibatch.memory_bytes();
  item.memory.use(bytes);
  std::vector<std::int64_t> packed_counts(item.units.size());
  if (item.packed.size() == item.plan.steps.size() && item.plan.slices.empty()) {
    for (const SequenceRun& run : item.plan.runs) {
      packed_counts[static_cast<std::size_t>(run.use)] += run.count;
    }
  }
  for (std::size_t i = 0; i < item.units.size(); ++i) {
    units_.unpin(*item.units[i], packed_counts[i]);
  }
  item.units.clear();
  item.state = ItemState::filled;
}

// Delivery.

bool Schedule::front_is_known() const noexcept {
  return items_.empty() ? is_planned_ : items_.front().state == ItemState::filled;
}

WorkItem Schedule::pop_front() {
  assert(cursor_ > 0);
  WorkItem front = std::move(items_.front());
  delivered_ = std::move(front.memory);
  planned_bytes_ -= front.planned_bytes;
  table_bytes_ -= front.plan.table_bytes;
  items_.pop_front();
  ++front_number_;
  --cursor_;
  if (!items_.empty()) units_ahead_ -= items_.front().read_count;
  if (ahead_max_ < std::ssize(items_)) pack_if_ready(items_[static_cast<std::size_t>(ahead_max_)]);
  return front;
}

// Memory.

bool Schedule::end_delivery() noexcept {
  const bool gives_back = delivered_.held_bytes() > 0;
  delivered_.release();
  return gives_back && ledger_.has_limit();
}

// Only running reads have a buffer.
std::int64_t Schedule::buffer_bytes(std::int64_t reads) const noexcept {
  return std::min(reads, thread_count_) * Planner::kReadBufferBytes;
}

void Schedule::set_buffers() noexcept {
  buffers_.set(buffer_bytes(reads_in_flight_), buffer_bytes(reads_taken_));
}

}  // namespace sheaf::internal
