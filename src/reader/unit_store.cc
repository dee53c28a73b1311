#include "reader/unit_store.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numeric>
#include <span>

#include "sheaf/error.h"

#include "base/text.h"
#include "reader/chunk_memory.h"

namespace sheaf::internal {

Unit::Unit(UnitUse unit_use) : use(std::move(unit_use)), first(use.first()), count(use.count()) {}

std::pair<std::size_t, std::size_t> Unit::entries_of(std::int64_t sequence) const noexcept {
  const auto first_of = [this](std::int64_t wanted) {  // or of the first one behind it
    std::size_t begin = 0;
    std::size_t end = diagnostics.entries().size();
    while (begin < end) {
      const std::size_t middle = begin + (end - begin) / 2;
      if (entry(middle).sequence < wanted) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  };
  if (diagnostics.entries().empty()) return {0, 0};
  return {first_of(sequence), first_of(sequence + 1)};
}

void Unit::append_places(std::int64_t sequence, std::vector<WrongPlace>& places) const {
  const auto [begin, end] = entries_of(sequence);
  for (std::size_t i = begin; i < end; ++i) {
    const Diagnostics::Entry& found = entry(i);
    const bool is_described = found.description >= 0;
    if (!found.counts() && !is_described) continue;  // there are enough warnings
    WrongPlace place{.chunk = use.cut->chunk(),
                     .sequence = sequence,
                     .number = static_cast<std::int64_t>(i - begin),
                     .byte_offset = found.byte_offset,
                     .severity = found.severity,
                     .diagnostic = nullptr};
    if (is_described) {
      place.diagnostic = std::make_shared<const Diagnostic>(
          diagnostics.described()[static_cast<std::size_t>(found.description)]);
    }
    places.push_back(std::move(place));
  }
}

void Unit::set_content(Chunk content, Diagnostics content_diagnostics, std::int64_t stream_count) {
  const auto broken = [&](const std::string& promise) {
    return InternalError(formatted("Deserializer::read of chunk {}, sequences {} to {}: {}",
                                   static_cast<std::int64_t>(use.cut->chunk()), first,
                                   first + count - 1, promise));
  };
  if (content.sequence_count() != count) {
    throw broken(
        formatted("{} sequences were asked for, {} came", count, content.sequence_count()));
  }
  if (content.stream_count() != stream_count) {
    throw broken(formatted("streams() has {} streams, the chunk has {}", stream_count,
                           content.stream_count()));
  }

  diagnostics = std::move(content_diagnostics);
  const std::span<const Diagnostics::Entry> entries = diagnostics.entries();
  for (const Diagnostics::Entry& each : entries) {
    if (each.sequence >= first && each.sequence < first + count) continue;
    throw broken(
        formatted("a diagnostic names sequence {}, which was not asked for", each.sequence));
  }
  if (!std::ranges::is_sorted(entries, {}, &Diagnostics::Entry::sequence)) {
    entry_order.resize(entries.size());
    std::iota(entry_order.begin(), entry_order.end(), std::size_t{0});
    std::ranges::stable_sort(entry_order, {}, [&](std::size_t i) { return entries[i].sequence; });
  }
  for (const std::int64_t hole : content.holes()) {
    auto [at, end] = entries_of(first + hole);
    while (at < end && !entry(at).counts()) ++at;
    if (at == end) throw broken(formatted("sequence {} is a hole without an error", first + hole));
  }
  chunk = std::make_shared<const Chunk>(std::move(content));
}

void Unit::set_content(DecodedRange content) noexcept {
  chunk = std::move(content.chunk);
  chunk_first = content.first;
}

// Units that share a chunk have a share of its memory each.
std::int64_t Unit::held_bytes() const noexcept {
  return internal::held_bytes(*chunk, count) + diagnostics.memory_bytes() +
         static_cast<std::int64_t>(entry_order.capacity() * sizeof(std::size_t));
}

Unit* UnitStore::find_and_pin(const UnitUse& use) {
  const auto chunk = chunks_.find(use.cut->chunk());
  if (chunk == chunks_.end()) return nullptr;
  const auto place = chunk->second.find(key_of(use));
  if (place == chunk->second.end()) return nullptr;
  Unit& unit = *place->second;
  set_state(unit, unit.pins + 1, unit.is_held);
  unit.is_released = use.is_last;
  return &unit;
}

Unit& UnitStore::add_pinned(const UnitUse& use, std::int64_t bytes) {
  const auto [place, is_new] =
      chunks_[use.cut->chunk()].try_emplace(key_of(use), std::make_unique<Unit>(use));
  assert(is_new);
  Unit& unit = *place->second;
  unit.listed = pinned_.insert(pinned_.end(), &unit);
  unit.pins = 1;
  unit.is_held = use.is_held;
  unit.is_released = use.is_last;
  unit.memory = Ledger::Token(ledger_);
  unit.memory.reserve(bytes);
  return unit;
}

void UnitStore::set_read(Unit& unit, std::int64_t bytes) noexcept {
  if (&list_of(unit) == &unpinned_) unpinned_bytes_ += bytes - unit.memory.held_bytes();
  unit.memory.use(bytes);
  unit.is_ready = true;
}

void UnitStore::unpin(Unit& unit, std::int64_t packed_count) {
  assert(unit.pins > 0);
  unit.packed_count += packed_count;
  set_state(unit, unit.pins - 1, unit.is_held);
  if (unit.pins > 0) return;
  const bool sweep_is_through =
      unit.packed_count > 0 && unit.packed_count % unit.count == 0 && !unit.is_held;
  if (unit.is_released || sweep_is_through || unit.use.is_part()) drop(unit);
}

void UnitStore::hold(const ChunkRange& range) {
  const auto chunk = chunks_.find(range.chunk);
  if (chunk == chunks_.end()) return;
  const auto [begin, end] = units_of(chunk->second, range);
  for (auto place = begin; place != end; ++place) {
    set_state(*place->second, place->second->pins, true);
    place->second->is_released = false;
  }
}

void UnitStore::release(const ChunkRange& range) {
  const auto chunk = chunks_.find(range.chunk);
  if (chunk == chunks_.end()) return;
  Units& units = chunk->second;
  const auto [begin, end] = units_of(units, range);
  for (auto place = begin; place != end;) {
    Unit& unit = *place->second;
    set_state(unit, unit.pins, false);
    unit.is_released = true;
    place = unit.pins == 0 ? drop(units, place) : std::next(place);
  }
  if (units.empty()) chunks_.erase(chunk);
}

bool UnitStore::evict(bool also_held) {
  const std::list<Unit*>& list = unpinned_.empty() && also_held ? kept_ : unpinned_;
  if (list.empty()) return false;
  drop(*list.front());
  return true;
}

std::list<Unit*>& UnitStore::list_of(const Unit& unit) noexcept {
  return unit.pins > 0 ? pinned_ : unit.is_held ? kept_ : unpinned_;
}

// Note who needs a unit, and list it accordingly: last, where it comes from another list.
void UnitStore::set_state(Unit& unit, std::int64_t pins, bool is_held) {
  std::list<Unit*>& before = list_of(unit);
  unit.pins = pins;
  unit.is_held = is_held;
  std::list<Unit*>& after = list_of(unit);
  if (&before == &after) return;
  after.splice(after.end(), before, unit.listed);
  if (&before == &unpinned_) unpinned_bytes_ -= unit.memory.held_bytes();
  if (&after == &unpinned_) unpinned_bytes_ += unit.memory.held_bytes();
}

std::vector<std::unique_ptr<Unit>> UnitStore::take_dropped() noexcept {
  return std::exchange(dropped_, {});
}

std::pair<UnitStore::Units::iterator, UnitStore::Units::iterator> UnitStore::units_of(
    Units& units, const ChunkRange& range) {
  constexpr std::int64_t kBehind = std::numeric_limits<std::int64_t>::max();
  return {units.lower_bound({range.first, range.count, {}, kWhole}),
          units.upper_bound({range.first, range.count, {kBehind, kBehind}, kBehind})};
}

// Pre: it has no pins.
UnitStore::Units::iterator UnitStore::drop(Units& units, Units::iterator place) {
  Unit& unit = *place->second;
  std::list<Unit*>& list = list_of(unit);
  list.erase(unit.listed);
  if (&list == &unpinned_) unpinned_bytes_ -= unit.memory.held_bytes();
  unit.memory.release();
  dropped_.push_back(std::move(place->second));
  return units.erase(place);
}

void UnitStore::drop(const Unit& unit) {
  const auto chunk = chunks_.find(unit.use.cut->chunk());
  drop(chunk->second, chunk->second.find(key_of(unit.use)));
  if (chunk->second.empty()) chunks_.erase(chunk);
}

}  // namespace sheaf::internal
