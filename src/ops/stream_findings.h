// The findings of check() about the values and the lengths of each stream.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/chunk.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// A value that is NaN or infinite.
struct NonFiniteValue {
  ChunkIndex chunk = {};
  std::int64_t sequence = 0;  // number within the chunk
  std::int64_t sample = 0;    // number within the sequence
  std::string value = {};     // "nan", "inf" or "-inf"
};

/// Findings about one stream.
struct StreamFindings {
  std::int64_t non_finite = 0;            // how many values are NaN or infinite
  std::int64_t non_finite_sequences = 0;  // how many sequences have one
  std::optional<NonFiniteValue> first_non_finite = {};

  std::int64_t samples_max = 0;  // 2 stands for every larger number
  std::int64_t shorter = 0;      // sequences with fewer samples here than in the longest stream
  std::int64_t missing_max = 0;  // the largest such difference

  /// Counts sequences by their difference in samples. The classes are 1, 2, 3 to 4, 5 to 8, ...;
  /// the key is the last number of the class.
  std::map<std::int64_t, std::int64_t> shorter_by = {};

  /// Adds the findings about the data that follow.
  void add(StreamFindings later);
};

/// Returns the findings of each stream about a decoded range of a chunk. The range begins with
/// sequence `first`. Holes and absent streams do not count.
[[nodiscard]] std::vector<StreamFindings> findings_of(std::span<const Stream> streams,
                                                      const Chunk& chunk, ChunkIndex number,
                                                      std::int64_t first);

/// Returns the last number of the class that contains `difference`.
///
/// Pre: difference > 0.
[[nodiscard]] std::int64_t difference_class(std::int64_t difference) noexcept;

}  // namespace sheaf::internal
