#include "reader/fetch/unit_cache.h"

#include <cassert>
#include <iterator>
#include <limits>

namespace sheaf::internal {

namespace {

// Each unit that shares a chunk counts its share of the memory.
std::int64_t bytes_of(const FoundRange& found) {
  return found.chunk->held_bytes(found.range.count);
}

}  // namespace

void UnitCache::add_found(std::vector<FoundRange> found) {  // NOLINT: its elements are moved
  std::int64_t bytes = found_memory_.used_bytes();
  for (FoundRange& each : found) {
    const SequenceSpan span{each.range.first, each.range.first + each.range.count};
    const std::int64_t each_bytes = bytes_of(each);
    if (found_[each.range.chunk].try_emplace(span, std::move(each)).second) bytes += each_bytes;
  }
  found_memory_.use(bytes);
}

Unit* UnitCache::find_and_pin(const UnitUse& use) {
  const auto chunk = chunks_.find(use.cut->chunk());
  if (chunk == chunks_.end()) return make_of_found(use);
  const auto entry = chunk->second.find(key_of(use));
  if (entry == chunk->second.end()) return make_of_found(use);
  Unit& unit = *entry->second;
  ++unit.pins;
  if (unit.is_read()) move(unit, UnitState::pinned);
  if (use.is_last) {
    unit.fate = UnitFate::drop;
  } else if (unit.fate == UnitFate::drop) {
    unit.fate = use.is_held ? UnitFate::keep : UnitFate::sweep;
  }
  return &unit;
}

// Found sequences need no reading, and their memory is already in use.
Unit* UnitCache::make_of_found(const UnitUse& use) {
  if (use.is_part()) return nullptr;
  const auto chunk = found_.find(use.cut->chunk());
  if (chunk == found_.end()) return nullptr;
  const auto entry = chunk->second.find(use.unit);
  if (entry == chunk->second.end()) return nullptr;
  const std::int64_t bytes = bytes_of(entry->second);
  Unit& unit = add(use);
  unit.set_content(std::move(entry->second));
  chunk->second.erase(entry);
  if (chunk->second.empty()) found_.erase(chunk);
  found_memory_.use(found_memory_.used_bytes() - bytes);
  set_read(unit, bytes + use.row_bytes());
  return &unit;
}

Unit& UnitCache::add_pinned(const UnitUse& use, std::int64_t bytes) {
  Unit& unit = add(use);
  unit.memory.reserve(bytes);
  return unit;
}

Unit& UnitCache::add(const UnitUse& use) {
  const auto [entry, is_new] =
      chunks_[use.cut->chunk()].try_emplace(key_of(use), std::make_unique<Unit>(use));
  assert(is_new);
  Unit& unit = *entry->second;
  if (ledger_.has_limit()) {
    std::list<Unit*>& asked = list_of(UnitState::asked);
    unit.listed = asked.insert(asked.end(), &unit);
  }
  unit.pins = 1;
  unit.fate = use.is_last ? UnitFate::drop : use.is_held ? UnitFate::keep : UnitFate::sweep;
  unit.memory = Ledger::Token(ledger_);
  return unit;
}

void UnitCache::set_read(Unit& unit, std::int64_t bytes) noexcept {
  assert(unit.state == UnitState::asked);
  unit.memory.use(bytes);
  move(unit, UnitState::pinned);
}

void UnitCache::unpin(Unit& unit, std::int64_t packed_count) {
  assert(unit.state == UnitState::pinned && unit.pins > 0);
  unit.packed_count += packed_count;
  if (--unit.pins > 0) return;
  const bool sweep_is_through =
      unit.fate == UnitFate::sweep && unit.packed_count > 0 && unit.packed_count % unit.count == 0;
  if (unit.fate == UnitFate::drop || sweep_is_through || unit.use.is_part()) {
    drop(unit);
  } else {
    move(unit, unit.fate == UnitFate::keep ? UnitState::kept : UnitState::idle);
  }
}

void UnitCache::hold(const ChunkRange& range) {
  const auto chunk = chunks_.find(range.chunk);
  if (chunk == chunks_.end()) return;
  const auto [begin, end] = units_of(chunk->second, range);
  for (auto entry = begin; entry != end; ++entry) {
    Unit& unit = *entry->second;
    unit.fate = UnitFate::keep;
    if (unit.pins == 0) move(unit, UnitState::kept);
  }
}

void UnitCache::release(const ChunkRange& range) {
  const auto chunk = chunks_.find(range.chunk);
  if (chunk == chunks_.end()) return;
  Units& units = chunk->second;
  const auto [begin, end] = units_of(units, range);
  for (auto entry = begin; entry != end;) {
    entry->second->fate = UnitFate::drop;
    entry = entry->second->pins == 0 ? drop(units, entry) : std::next(entry);
  }
  if (units.empty()) chunks_.erase(chunk);
}

bool UnitCache::evict(bool also_kept) {
  const bool has_idle = !list_of(UnitState::idle).empty();
  const std::list<Unit*>& list =
      list_of(has_idle || !also_kept ? UnitState::idle : UnitState::kept);
  if (list.empty()) return false;
  drop(*list.front());
  return true;
}

// Appends the unit to its new list, as the most recently used unit. Without a limit, no unit is
// evicted, so there are no lists.
void UnitCache::move(Unit& unit, UnitState state) {
  if (state == unit.state) return;
  if (ledger_.has_limit()) {
    std::list<Unit*>& after = list_of(state);
    after.splice(after.end(), list_of(unit.state), unit.listed);
  }
  if (unit.state == UnitState::idle) idle_bytes_ -= unit.memory.held_bytes();
  if (state == UnitState::idle) idle_bytes_ += unit.memory.held_bytes();
  unit.state = state;
}

std::vector<std::unique_ptr<Unit>> UnitCache::take_dropped() noexcept {
  return std::exchange(dropped_, {});
}

std::pair<UnitCache::Units::iterator, UnitCache::Units::iterator> UnitCache::units_of(
    Units& units, const ChunkRange& range) {
  constexpr std::int64_t kBehind = std::numeric_limits<std::int64_t>::max();
  return {units.lower_bound({range.first, range.count, {}, kWhole}),
          units.upper_bound({range.first, range.count, {kBehind, kBehind}, kBehind})};
}

// Pre: the unit has no pins.
UnitCache::Units::iterator UnitCache::drop(Units& units, Units::iterator entry) {
  Unit& unit = *entry->second;
  if (ledger_.has_limit()) list_of(unit.state).erase(unit.listed);
  if (unit.state == UnitState::idle) idle_bytes_ -= unit.memory.held_bytes();
  dropped_.push_back(std::move(entry->second));
  leaving_bytes_ += unit.memory.held_bytes();
  return units.erase(entry);
}

void UnitCache::drop(const Unit& unit) {
  const auto chunk = chunks_.find(unit.use.cut->chunk());
  drop(chunk->second, chunk->second.find(key_of(unit.use)));
  if (chunk->second.empty()) chunks_.erase(chunk);
}

}  // namespace sheaf::internal
