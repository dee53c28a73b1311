// Statistics of a part of the data.

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

/// Statistics of data or of a part of the data. Parts must be added in the order of the data.
struct DataStat {
  StatReport counts = {};

  // Content hashes of the sequences without errors.
  std::deque<std::pair<std::uint64_t, std::uint64_t>> contents = {};

  void add(DataStat other);

  /// Returns how many sequences repeat the content of an earlier one. Sorts `contents`.
  [[nodiscard]] std::int64_t duplicates();
};

/// Adds the extents of a part of a stream, axis by axis. An empty list stands for no samples.
void add_extents(const std::vector<ExtentStat>& from, std::vector<ExtentStat>& to);

/// Computes the statistics of a decoded chunk. The chunk holds consecutive sequences of an index
/// chunk, from number `first` on; `sequences` is the table of the index chunk. With `has_contents`,
/// also hashes the sequences.
[[nodiscard]] DataStat stat_of(std::span<const Stream> streams, const Chunk& chunk,
                               const SequenceTable& sequences, std::int64_t first,
                               bool has_contents);

}  // namespace sheaf::internal
