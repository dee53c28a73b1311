// What the keys of sequences look like.

#pragma once

#include <cstdint>

#include "sheaf/extend/index.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// The keys of consecutive sequences, holes included.
struct KeyNumbers {
  std::int64_t count = 0;
  SequenceKey first = {};
  SequenceKey last = {};
  bool rises = true;      // each key is larger than the key before it
  std::int64_t gaps = 0;  // how often a number is not the number before it, plus 1

  void add(const SequenceKey& key) noexcept;

  /// Adds the keys that follow.
  void add(const KeyNumbers& next) noexcept;
};

/// Returns the keys of the sequences [first, first + count) of a table.
[[nodiscard]] KeyNumbers keys_of(const SequenceTable& table, std::int64_t first,
                                 std::int64_t count) noexcept;

/// How many sequences have the key of an earlier one.
struct RepeatedKeys {
  std::int64_t looked_at = 0;  // keys of the sample: all of them, unless there are very many
  std::int64_t repeats = 0;
};

/// Looks for repeated keys in the chunks below `chunk_end`.
///
/// Throws: what the index throws.
[[nodiscard]] RepeatedKeys repeated_keys(const Index& index, ChunkIndex chunk_end);

}  // namespace sheaf::internal
