// Finds sequences by their keys.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sheaf/extend/counts.h"
#include "sheaf/extend/index.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// Finds sequences by their keys, with little memory: of each chunk it keeps the smallest and the
/// largest key. Chunks are looked at in the order of the file, and none before it is needed.
///
/// Memory: 40 bytes for each chunk that was looked at.
/// Cost:   find() asks for the tables of the chunks whose keys may include the one wanted, and of
///         those never looked at before, up to the one that has it. Within a table whose keys rise
///         it is found by halving, else by looking at each.
/// Threads: one call at a time.
class KeyFinder {
 public:
  /// Lifetime: the index must outlive it.
  explicit KeyFinder(const Index& index) : index_(index) {}

  /// The first sequence of the file with this key, as a range of one; nothing where there is none.
  ///
  /// Throws: what the index throws.
  [[nodiscard]] std::optional<ChunkRange> find(const SequenceKey& key);

  /// Memory held.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

 private:
  /// The keys of a chunk, from afar.
  struct Keys {
    SequenceKey smallest;
    SequenceKey largest;
    bool rise = false;  // none is smaller than the one before
  };

  [[nodiscard]] static Keys keys_of(const SequenceTable& table);

  const Index& index_;
  std::vector<Keys> chunks_;  // the first ones of the index
};

}  // namespace sheaf::internal
