// Tables and notes of chunks that can be had again.

#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <unordered_map>

#include "sheaf/extend/index.h"

#include "index/chunk_notes.h"

namespace sheaf::internal {

/// Either may be null.
struct TableAndNotes {
  std::shared_ptr<const SequenceTable> sequences;
  std::shared_ptr<const ChunkNotes> notes;
};

/// Keeps the tables and notes that were used last, as far as they fit into memory.
///
/// Cheap ones can be had again in about a microsecond. They have a limit of their own, of a
/// megabyte or less, even where there is no other limit: those of many chunks of one sequence would
/// take ten times the memory that is needed to have them again.
///
/// Of the others, those that somebody else holds stay: dropping them would free nothing.
///
/// Threads: one at a time.
/// Cost:    constant for each call.
class RecentTables {
 public:
  enum class Cost : std::uint8_t { cheap, dear };

  /// The most memory of cheap ones.
  static constexpr std::int64_t kCheapBytesMax = std::int64_t{1} << 20;

  /// `limit_bytes` 0 means no limit.
  explicit RecentTables(std::int64_t limit_bytes) noexcept;

  /// Returns what is kept of a chunk; nothing where the chunk was dropped or never added.
  [[nodiscard]] std::optional<TableAndNotes> find(std::int64_t chunk);

  /// Keeps a chunk, and drops others that were not used for the longest time. Returns what is kept
  /// of the chunk: where another thread has added the same chunk meanwhile, that one.
  TableAndNotes add(std::int64_t chunk, TableAndNotes added, Cost cost);

  /// Drops all chunks from this number on.
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
    Entries entries = {};          // the one used the longest time ago first
    std::int64_t bytes = 0;
  };

  [[nodiscard]] Kept& kept_of(Cost cost) noexcept { return cost == Cost::cheap ? cheap_ : dear_; }
  void drop(Kept& kept, Entries::iterator entry);
  void drop_unused(Kept& kept);
  void drop_from(Kept& kept, std::int64_t chunk);

  Kept cheap_;
  Kept dear_;
  std::unordered_map<std::int64_t, Entries::iterator> places_;
};

}  // namespace sheaf::internal
