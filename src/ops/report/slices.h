// Divides the data into slices, to see whether they differ.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sheaf/stat.h"

#include "ops/report/bin_counts.h"

namespace sheaf::internal {

/// Returns the bin of a length. Lengths below 16 have their own bins. Each doubling from there has
/// eight bins, such as 16 to 31.
///
/// Pre: length >= 0.
[[nodiscard]] std::uint32_t bin_of_length(std::int64_t length) noexcept;

/// Statistics of one stream in a slice.
struct SliceStream {
  ValueStat values = {};
  BinCounts bins = {};  // value bins, as in ValuePart::bins
  BinCounts ids = {};   // counts, as in IdBins
};

/// Consecutive sequences without errors.
struct Slice {
  std::int64_t first = 0;  // number of the first sequence in the data, counting holes
  std::int64_t sequences = 0;
  std::int64_t samples = 0;
  BinCounts lengths = {};
  std::vector<SliceStream> streams = {};

  /// Adds the slice that follows.
  void add(Slice next);
};

/// Slices of the data in order. If there are too many, small neighbours merge.
class Slices {
 public:
  static constexpr std::size_t kCountMax = 64;

  /// Adds the next slice. Ignores a slice without sequences.
  void add(Slice slice);

  /// Merges neighbours until at most `count_max` slices remain, and returns the slices.
  [[nodiscard]] std::vector<Slice> take(std::size_t count_max = kCountMax);

 private:
  void merge(std::size_t count_max);

  std::vector<Slice> slices_;
};

/// Merges the neighbours with the fewest sequences until at most `count_max` slices remain.
[[nodiscard]] std::vector<Slice> merged_slices(std::vector<Slice> slices, std::size_t count_max);

}  // namespace sheaf::internal
