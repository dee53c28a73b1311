// Caches the tables and notes of chunks.

#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <unordered_map>

#include "sheaf/extend/index.h"

#include "index/chunk_notes.h"

namespace sheaf::internal {

/// The table and the notes of a chunk. Either may be null.
struct TableAndNotes {
  std::shared_ptr<const SequenceTable> sequences;
  std::shared_ptr<const ChunkNotes> notes;
};

/// Keeps the tables and notes that were used last, as far as they fit the memory limit.
///
/// Cheap entries can be read again in about a microsecond. They have a limit of their own of at
/// most a megabyte, even if there is no other limit. Otherwise the entries of many chunks of one
/// sequence would take ten times the memory that reading them again needs.
///
/// Dear entries that a caller still holds are not dropped, since this would free nothing.
///
/// Threads: one call at a time.
/// Cost:    constant for each call.
class RecentTables {
 public:
  enum class Cost : std::uint8_t { cheap, dear };

  /// The most memory of cheap entries.
  static constexpr std::int64_t kCheapBytesMax = std::int64_t{1} << 20;

  /// `limit_bytes` 0 means no limit.
  explicit RecentTables(std::int64_t limit_bytes) noexcept;

  /// Returns the entry of a chunk, or nothing if the chunk was dropped or never added.
  [[nodiscard]] std::optional<TableAndNotes> find(std::int64_t chunk);

  /// Adds the entry of a chunk, and drops entries that were not used for the longest time. Returns
  /// the kept entry. If another thread added the same chunk before, this is the entry of that
  /// thread.
  TableAndNotes add(std::int64_t chunk, TableAndNotes added, Cost cost);

  /// Drops all chunks from number `chunk` on.
  void drop_from(std::int64_t chunk);

  /// Returns how much memory the tables and notes take.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

 private:
  struct Entry {
    std::int64_t chunk = 0;
    TableAndNotes kept;
    std::int64_t bytes = 0;
    Cost cost = Cost::dear;
  };
  using Entries = std::list<Entry>;

  struct Kept {
    std::int64_t limit_bytes = 0;  // 0: no limit
    Entries entries = {};          // least recently used first
    std::int64_t bytes = 0;
  };

  [[nodiscard]] Kept& kept_of(Cost cost) noexcept { return cost == Cost::cheap ? cheap_ : dear_; }
  void drop(Kept& kept, Entries::iterator entry);
  void drop_unused(Kept& kept);
  void drop_from(Kept& kept, std::int64_t chunk);

  Kept cheap_;
  Kept dear_;
  std::unordered_map<std::int64_t, Entries::iterator> entry_of_;
};

}  // namespace sheaf::internal
