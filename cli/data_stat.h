/// \file
/// What data look like, in numbers.

#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sheaf/extend/chunk.h"
#include "sheaf/extend/index.h"
#include "sheaf/types.h"

#include "histogram.h"

namespace sheaf::cli {

/// Stored values of a stream. Sums are added up block by block, in the order of the data.
struct ValueStat {
  std::int64_t count = 0;       // all
  std::int64_t zeros = 0;       // -0 included
  std::int64_t non_finite = 0;  // the rest is about the others
  double min = 0;
  double max = 0;
  double mean = 0;
  double squares = 0;  // sum of squared distances from the mean

  [[nodiscard]] std::int64_t finite_count() const noexcept { return count - non_finite; }

  /// Standard deviation, of the values as they are: squares over their number.
  ///
  /// Pre: finite_count() > 0.
  [[nodiscard]] double deviation() const;

  void add(const ValueStat& other);
};

/// One stream of the good sequences.
struct StreamStat {
  Histogram lengths = {};                // samples of the sequences that have the stream
  std::int64_t absent = 0;               // sequences that do not have it
  std::int64_t samples = 0;              // of all sequences
  std::optional<ValueStat> values = {};  // nothing where values are no numbers (f16, bytes)
};

/// Data, or a part of them. Parts are added in the order of the data.
struct DataStat {
  Histogram lengths = {};  // samples of the good sequences, as minibatch sizes count them
  std::int64_t holes = 0;
  std::int64_t places = 0;  // wrong ones
  std::int64_t warning_places = 0;
  std::vector<StreamStat> streams = {};
  std::deque<std::pair<std::uint64_t, std::uint64_t>> contents =
      {};  // hashes of the good sequences

  void add(DataStat other);

  /// Sequences whose content an earlier one has. Sorts `contents`.
  [[nodiscard]] std::int64_t duplicates();
};

/// Count what a chunk has: sequences `first` and following of the index's chunk, whose table is
/// `sequences`. `has_contents`: hash the sequences, too.
[[nodiscard]] DataStat stat_of(std::span<const Stream> streams, const Chunk& chunk,
                               const SequenceTable& sequences, std::int64_t first,
                               bool has_contents);

}  // namespace sheaf::cli
