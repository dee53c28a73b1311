// What a part of data looks like, in numbers.

#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "sheaf/extend/chunk.h"
#include "sheaf/extend/index.h"
#include "sheaf/stat.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// Data, or a part of them. Parts are added in the order of the data.
struct DataStat {
  StatReport counts = {};

  // Hashes of the good sequences.
  std::deque<std::pair<std::uint64_t, std::uint64_t>> contents = {};

  void add(DataStat other);

  /// Returns how many sequences have the content of an earlier one. Sorts `contents`.
  [[nodiscard]] std::int64_t duplicates();
};

/// Adds the extents of a part of a stream, axis by axis. An empty list is of no sample.
void add_extents(const std::vector<ExtentStat>& from, std::vector<ExtentStat>& to);

/// Counts what a chunk has: sequences `first` and following of the index's chunk, whose table is
/// `sequences`. `has_contents`: hash the sequences, too.
[[nodiscard]] DataStat stat_of(std::span<const Stream> streams, const Chunk& chunk,
                               const SequenceTable& sequences, std::int64_t first,
                               bool has_contents);

}  // namespace sheaf::internal
