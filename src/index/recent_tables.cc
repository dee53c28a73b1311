#include "index/recent_tables.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "index/memory_sizes.h"

namespace sheaf::internal {
namespace {

// A call passes over at most this many entries in use, in its search for entries to drop. Entries
// passed over become the newest, so the next call looks at others.
constexpr int kPassedMax = 64;

// The memory of an entry in the list and in the map, besides its table and notes.
constexpr std::int64_t kEntryBytes = allocated_bytes(64) + allocated_bytes(32) + 8;

std::int64_t bytes_of(const TableAndNotes& kept) noexcept {
  std::int64_t bytes = kEntryBytes;
  if (kept.sequences) bytes += memory_bytes(*kept.sequences);
  if (kept.notes) bytes += memory_bytes(*kept.notes);
  return bytes;
}

bool is_in_use(const TableAndNotes& kept) noexcept {
  return kept.sequences.use_count() > 1 || kept.notes.use_count() > 1;
}

}  // namespace

RecentTables::RecentTables(std::int64_t limit_bytes) noexcept {
  cheap_.limit_bytes = kCheapBytesMax;
  if (limit_bytes == 0) return;
  cheap_.limit_bytes = std::clamp<std::int64_t>(limit_bytes / 4, 1, kCheapBytesMax);
  dear_.limit_bytes = std::max<std::int64_t>(1, limit_bytes - cheap_.limit_bytes);
}

std::optional<TableAndNotes> RecentTables::find(std::int64_t chunk) {
  const auto found = entry_of_.find(chunk);
  if (found == entry_of_.end()) return std::nullopt;
  Entries& entries = kept_of(found->second->cost).entries;
  entries.splice(entries.end(), entries, found->second);
  return found->second->kept;
}

TableAndNotes RecentTables::add(std::int64_t chunk, TableAndNotes added, Cost cost) {
  if (std::optional<TableAndNotes> found = find(chunk)) return *std::move(found);
  const std::int64_t bytes = bytes_of(added);
  Kept& kept = kept_of(cost);
  const auto found_entry = kept.entries.insert(kept.entries.end(), {chunk, added, bytes, cost});
  try {
    entry_of_.emplace(chunk, found_entry);
  } catch (...) {
    kept.entries.erase(found_entry);
    throw;
  }
  kept.bytes += bytes;
  drop_unused(kept);  // never frees the new entry, which `added` holds
  return added;
}

void RecentTables::drop_from(std::int64_t chunk) {
  drop_from(cheap_, chunk);
  drop_from(dear_, chunk);
}

void RecentTables::drop_from(Kept& kept, std::int64_t chunk) {
  for (auto entry = kept.entries.begin(); entry != kept.entries.end();) {
    const auto next = std::next(entry);
    if (entry->chunk >= chunk) drop(kept, entry);
    entry = next;
  }
}

void RecentTables::drop(Kept& kept, Entries::iterator entry) {
  kept.bytes -= entry->bytes;
  entry_of_.erase(entry->chunk);
  kept.entries.erase(entry);
}

void RecentTables::drop_unused(Kept& kept) {
  if (kept.limit_bytes == 0) return;
  for (int passed = 0; kept.bytes > kept.limit_bytes && passed < kPassedMax;) {
    const auto oldest = kept.entries.begin();
    if (&kept == &dear_ && is_in_use(oldest->kept)) {
      kept.entries.splice(kept.entries.end(), kept.entries, oldest);
      ++passed;
    } else {
      drop(kept, oldest);
    }
  }
}

std::int64_t RecentTables::memory_bytes() const noexcept { return cheap_.bytes + dear_.bytes; }

}  // namespace sheaf::internal
