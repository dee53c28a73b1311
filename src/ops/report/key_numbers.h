// Statistics of sequence keys.

#pragma once

#include <cstdint>

#include "sheaf/extend/index.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// Statistics of the keys of consecutive sequences, holes included.
struct KeyNumbers {
  std::int64_t count = 0;
  SequenceKey first = {};
  SequenceKey last = {};
  bool rises = true;      // each key is larger than the previous key
  std::int64_t gaps = 0;  // numeric keys that are not the previous key plus 1

  void add(const SequenceKey& key) noexcept;

  /// Adds the statistics of the keys that follow.
  void add(const KeyNumbers& next) noexcept;
};

/// Returns the statistics for the sequences [first, first + count) of a table.
[[nodiscard]] KeyNumbers keys_of(const SequenceTable& table, std::int64_t first,
                                 std::int64_t count) noexcept;

/// Counts the sequences that have the key of an earlier sequence.
struct KeyRepeats {
  std::int64_t looked_at = 0;  // keys in the sample: all keys unless there are very many
  std::int64_t repeats = 0;
};

/// Finds repeated keys in the chunks below `chunk_end`.
///
/// Throws: any exception of the index.
[[nodiscard]] KeyRepeats key_repeats(const Index& index, ChunkIndex chunk_end);

}  // namespace sheaf::internal
