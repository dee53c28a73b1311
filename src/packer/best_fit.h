/// \file
/// Best fit, longest first, for slots of a fixed number of steps.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sheaf::internal {

struct BestFit {
  std::vector<std::int64_t> slots;  // one for each sequence
  std::int64_t slot_count = 0;
};

/// Assigns a slot to each sequence, longest first. A sequence goes into the slot with the least
/// sufficient room, or else into a new slot. Among equal sequences or slots, the first one is
/// taken. A sequence without samples takes no room, and its slot is 0.
///
/// Pre:  0 <= length <= step_count, for each sequence.
/// Cost: N log N for N sequences.
[[nodiscard]] BestFit best_fit(std::span<const std::int64_t> lengths, std::int64_t step_count);

}  // namespace sheaf::internal
