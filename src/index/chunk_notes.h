// What an index keeps of a chunk besides its sequences.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace sheaf::internal {

/// What a chunk holds of one stream. Good and bad samples count alike.
struct StreamCounts {
  std::int64_t sample_count = 0;
  std::int64_t pair_count = 0;  // of sparse streams; the values of those of variable shape

  friend bool operator==(const StreamCounts&, const StreamCounts&) = default;
};

/// The notes of one chunk.
struct ChunkNotes {
  std::vector<StreamCounts> streams;
  std::vector<std::uint64_t> unit_hashes;  // XXH3 of the bytes of each unit; empty: not known
  std::vector<std::int64_t> repeated;      // numbers of sequences whose key is an earlier one's
};

/// Returns the notes as the numbers that an index file keeps.
[[nodiscard]] std::vector<std::int64_t> to_numbers(const ChunkNotes& notes);

/// Returns the notes that to_numbers() made these numbers from; nothing where the numbers are no
/// notes.
[[nodiscard]] std::optional<ChunkNotes> notes_from_numbers(
    const std::vector<std::int64_t>& numbers);

}  // namespace sheaf::internal
