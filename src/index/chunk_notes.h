// The notes that an index keeps for each chunk, besides its sequences.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace sheaf::internal {

/// The counts of one stream of a chunk. Bad samples count like good ones.
struct StreamCounts {
  std::int64_t sample_count = 0;
  std::int64_t pair_count = 0;  // of a sparse stream; of one of variable shape: values

  friend bool operator==(const StreamCounts&, const StreamCounts&) = default;
};

/// The notes of one chunk.
struct ChunkNotes {
  std::vector<StreamCounts> streams;
  std::vector<std::uint64_t> unit_hashes;  // XXH3 of the bytes of each unit; empty if unknown
  std::vector<std::int64_t> repeated;      // numbers of sequences with the key of an earlier one
};

/// Returns the notes in the form of the numbers that an index file keeps.
[[nodiscard]] std::vector<std::int64_t> to_numbers(const ChunkNotes& notes);

/// Returns the notes from which to_numbers() made these numbers, or nothing if the numbers are
/// invalid.
[[nodiscard]] std::optional<ChunkNotes> notes_from_numbers(
    const std::vector<std::int64_t>& numbers);

}  // namespace sheaf::internal
