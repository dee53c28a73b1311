// Stretches of the data, to see whether they differ.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sheaf/stat.h"

#include "ops/report/slot_counts.h"

namespace sheaf::internal {

/// The slot of a length: lengths below 16 have their own, and eight slots reach from 16 to 32.
///
/// Pre: length >= 0.
[[nodiscard]] std::uint32_t slot_of_length(std::int64_t length) noexcept;

/// What one stream has in a slice.
struct SliceStream {
  ValueStat values = {};
  SlotCounts bins = {};  // of the values, as ValuePart::bins
  SlotCounts ids = {};   // as IdSlots
};

/// Consecutive good sequences.
struct Slice {
  std::int64_t first = 0;  // number of the first sequence in the data, holes included
  std::int64_t sequences = 0;
  std::int64_t samples = 0;
  SlotCounts lengths = {};
  std::vector<SliceStream> streams = {};

  /// Adds the slice that follows.
  void add(Slice next);
};

/// Slices of the data in their order. Where there are too many, small neighbours become one.
class Slices {
 public:
  static constexpr std::size_t kCountMax = 64;

  /// Adds the next slice. Slices without sequences are left out.
  void add(Slice slice);

  /// Merges neighbours until there are at most `count_max` slices, and returns the slices.
  [[nodiscard]] std::vector<Slice> take(std::size_t count_max = kCountMax);

 private:
  void merge(std::size_t count_max);

  std::vector<Slice> slices_;
};

/// Merges the neighbours with the fewest sequences until there are at most `count_max` slices.
[[nodiscard]] std::vector<Slice> merged_slices(std::vector<Slice> slices, std::size_t count_max);

}  // namespace sheaf::internal
