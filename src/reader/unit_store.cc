#include "reader/unit_store.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <span>

#include "sheaf/buffer.h"
#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::internal {

Unit::Unit(UnitUse unit_use)
    : use(std::move(unit_use)),
      first(use.cut->first_of(use.unit)),
      count(use.cut->count_of(use.unit)) {}

void Unit::append_places(std::int64_t sequence, std::vector<WrongPlace>& places) const {
  const auto begin = std::lower_bound(entry_of.begin(), entry_of.end(),
                                      std::pair<std::int64_t, std::int64_t>{sequence, 0});
  for (auto at = begin; at != entry_of.end() && at->first == sequence; ++at) {
    const auto entry = static_cast<std::size_t>(at->second);
    const Diagnostics::Entry& found = diagnostics.entries()[entry];
    const bool is_described = found.description >= 0;
    if (!found.counts() && !is_described) continue;  // there are enough warnings
    WrongPlace place{.chunk = use.cut->chunk(),
                     .sequence = sequence,
                     .number = at - begin,
                     .byte_offset = found.byte_offset,
                     .severity = found.severity,
                     .diagnostic = {}};
    if (is_described) {
      place.diagnostic = diagnostics.described()[static_cast<std::size_t>(found.description)];
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

  const std::span<const Diagnostics::Entry> entries = content_diagnostics.entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::int64_t sequence = entries[i].sequence;
    if (sequence < first || sequence >= first + count) {
      throw broken(formatted("a diagnostic names sequence {}, which was not asked for", sequence));
    }
    entry_of.emplace_back(sequence, static_cast<std::int64_t>(i));
  }
  std::sort(entry_of.begin(), entry_of.end());
  for (const std::int64_t hole : content.holes()) {
    const std::pair<std::int64_t, std::int64_t> wanted{first + hole, 0};
    const auto begin = std::lower_bound(entry_of.begin(), entry_of.end(), wanted);
    const std::pair<std::int64_t, std::int64_t> behind{first + hole + 1, 0};
    const auto end = std::lower_bound(begin, entry_of.end(), behind);
    const bool has_error = std::any_of(begin, end, [&](const auto& each) {
      return entries[static_cast<std::size_t>(each.second)].counts();
    });
    if (!has_error) {
      throw broken(formatted("sequence {} is a hole without an error", first + hole));
    }
  }
  chunk.emplace(std::move(content));
  diagnostics = std::move(content_diagnostics);
}

Unit* UnitStore::find_and_pin(const UnitUse& use) {
  const auto place = units_.find({use.cut->chunk(), use.unit});
  if (place == units_.end()) return nullptr;
  Unit& unit = *place->second;
  ++unit.pins;
  unit.is_released = false;
  return &unit;
}

Unit& UnitStore::add_pinned(const UnitUse& use, std::int64_t bytes) {
  auto unit = std::make_unique<Unit>(use);
  const auto [place, is_new] = units_.try_emplace({use.cut->chunk(), use.unit}, std::move(unit));
  assert(is_new);
  Unit& added = *place->second;
  added.pins = 1;
  set_bytes(added, bytes);
  return added;
}

void UnitStore::set_bytes(Unit& unit, std::int64_t bytes) noexcept {
  bytes_ += bytes - unit.bytes;
  unit.bytes = bytes;
}

void UnitStore::unpin(Unit& unit, std::int64_t packed_count) {
  assert(unit.pins > 0);
  --unit.pins;
  unit.packed_count += packed_count;
  unit.last_use = ++use_count_;
  const bool sweep_is_through = unit.packed_count > 0 && unit.packed_count % unit.count == 0 &&
                                !held_.contains(unit.use.cut->chunk());
  if (unit.pins == 0 && (unit.is_released || sweep_is_through)) {
    drop(units_.find({unit.use.cut->chunk(), unit.use.unit}));
  }
}

void UnitStore::release(ChunkIndex chunk) {
  held_.erase(chunk);
  auto place = units_.lower_bound({chunk, 0});
  while (place != units_.end() && place->first.first == chunk) {
    place->second->is_released = true;
    place = place->second->pins == 0 ? drop(place) : std::next(place);
  }
}

std::int64_t UnitStore::unpinned_bytes() const noexcept {
  std::int64_t bytes = 0;
  for (const auto& [key, unit] : units_) bytes += unit->pins == 0 ? unit->bytes : 0;
  return bytes;
}

bool UnitStore::evict() {
  auto oldest = units_.end();
  for (auto place = units_.begin(); place != units_.end(); ++place) {
    if (place->second->pins > 0) continue;
    if (oldest == units_.end() || place->second->last_use < oldest->second->last_use) {
      oldest = place;
    }
  }
  if (oldest == units_.end()) return false;
  drop(oldest);
  return true;
}

std::vector<std::unique_ptr<Unit>> UnitStore::take_dropped() noexcept {
  return std::exchange(dropped_, {});
}

UnitStore::Units::iterator UnitStore::drop(Units::iterator place) {
  dropped_.push_back(std::move(place->second));
  bytes_ -= dropped_.back()->bytes;
  return units_.erase(place);
}

std::int64_t held_bytes(const Chunk& chunk) noexcept {
  const auto borrowed = [](const Buffer& buffer) {
    return std::max(std::int64_t{0}, buffer.size_bytes() - buffer.capacity_bytes());
  };
  std::int64_t bytes = chunk.memory_bytes();
  for (const Column& column : chunk.columns()) {
    bytes += borrowed(column.values) + borrowed(column.indices) + borrowed(column.sample_offsets) +
             borrowed(column.extents) + borrowed(column.sequence_offsets) +
             borrowed(column.presence);
  }
  return bytes;
}

}  // namespace sheaf::internal
