/// \file
/// Sets of ranges, and the changes between them.

#pragma once

#include <optional>
#include <vector>

#include "sheaf/extend/counts.h"
#include "sheaf/extend/sequencer.h"
#include "sheaf/position.h"

namespace sheaf::internal {

/// Sorts ranges and drops duplicates.
void make_set(std::vector<ChunkRange>& ranges);

/// Returns the ranges of `ranges` that are not in `others`, in ascending order.
[[nodiscard]] std::vector<ChunkRange> without(std::vector<ChunkRange> ranges,
                                              std::vector<ChunkRange> others);

/// Returns the change from one window to another. The ranges of a window may be in any order.
[[nodiscard]] WindowChange change_between(std::vector<ChunkRange> from, std::vector<ChunkRange> to);

/// The change made by the last step of a cursor.
struct LastChange {
  std::optional<Place> from;  // empty before the first step
  Place to;
  WindowChange change;

  [[nodiscard]] bool is_between(const std::optional<Place>& begin, const Place& end) const {
    return from && begin == from && end == to;
  }
};

}  // namespace sheaf::internal
