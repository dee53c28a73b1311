#include "index/units.h"

#include <cstdint>
#include <vector>

namespace sheaf::internal {

// A unit ends before the first sequence that would make it too large; offsets ascend, so that
// sequence is found by halving.
std::vector<std::int64_t> unit_firsts(const SequenceTable& sequences,
                                      std::int64_t chunk_size_bytes) {
  const std::int64_t sequence_count = sequences.size();
  const auto offset = [&](std::int64_t sequence) {
    return sequence < sequence_count ? sequences.offset_bytes(sequence) : chunk_size_bytes;
  };
  std::vector<std::int64_t> firsts = {0};
  while (firsts.back() < sequence_count) {
    const std::int64_t end_max = offset(firsts.back()) + kUnitSizeBytes;
    std::int64_t fits = firsts.back() + 1;  // one sequence always does
    std::int64_t low = fits + 1;
    std::int64_t high = sequence_count;
    while (low <= high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (offset(middle) <= end_max) {
        fits = middle;
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    firsts.push_back(fits);
  }
  return firsts;
}

}  // namespace sheaf::internal
