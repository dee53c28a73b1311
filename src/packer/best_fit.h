/// \file
/// Best fit, longest first: where sequences go in slots of a fixed number of steps.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sheaf::internal {

struct BestFit {
  std::vector<std::int64_t> slots;  // one for each sequence
  std::int64_t slot_count = 0;
};

/// Give each sequence, longest first and the first of equally long ones first, the slot whose room
/// left is the least that suffices, and the first such slot; else a new one. A sequence without
/// samples takes no room: its slot is 0.
///
/// Pre:  0 <= length <= step_count, for each.
/// Cost: N log N for N sequences.
[[nodiscard]] BestFit best_fit(std::span<const std::int64_t> lengths, std::int64_t step_count);

}  // namespace sheaf::internal
