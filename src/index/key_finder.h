// Finds sequences by their keys.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sheaf/extend/counts.h"
#include "sheaf/extend/index.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// Finds sequences by their keys, with little memory: for each chunk, it keeps the smallest and the
/// largest key. It visits chunks in file order, and only as far as needed.
///
/// Memory:  40 bytes for each chunk visited.
/// Cost:    find() asks for the tables of chunks whose key range includes the key, and of new
///          chunks up to the one that has the key. Within a table, it searches by halving if the
///          keys rise, and one by one otherwise.
/// Threads: one call at a time.
class KeyFinder {
 public:
  /// Lifetime: the index must outlive the object.
  explicit KeyFinder(const Index& index) : index_(index) {}

  /// Returns the first sequence of the file with this key, as a range of one, or nothing if there
  /// is none.
  ///
  /// Throws: the exceptions of the index.
  [[nodiscard]] std::optional<ChunkRange> find(const SequenceKey& key);

  /// Returns how much memory the object takes.
  [[nodiscard]] std::int64_t memory_bytes() const noexcept;

 private:
  /// A summary of the keys of a chunk.
  struct Keys {
    SequenceKey smallest;
    SequenceKey largest;
    bool rise = false;  // no key is smaller than the one before
  };

  [[nodiscard]] static Keys keys_of(const SequenceTable& table);

  const Index& index_;
  std::vector<Keys> chunks_;  // of the first chunks of the index
};

}  // namespace sheaf::internal
