/// \file
/// Sets of ranges, and what changes between two of them.

#pragma once

#include <optional>
#include <vector>

#include "sheaf/extend/counts.h"
#include "sheaf/extend/sequencer.h"
#include "sheaf/position.h"

namespace sheaf::internal {

/// Sort ranges and drop those that are there twice.
void make_set(std::vector<ChunkRange>& ranges);

/// The ranges of `ranges` that `others` does not have, in ascending order.
[[nodiscard]] std::vector<ChunkRange> without(std::vector<ChunkRange> ranges,
                                              std::vector<ChunkRange> others);

/// What changes from one window to another. Both may be in any order.
[[nodiscard]] WindowChange change_between(std::vector<ChunkRange> from, std::vector<ChunkRange> to);

/// The change that the last step of a cursor made.
struct LastChange {
  std::optional<Place> from;  // empty: no step yet
  Place to;
  WindowChange change;

  [[nodiscard]] bool is_between(const std::optional<Place>& begin, const Place& end) const {
    return from && begin == from && end == to;
  }
};

}  // namespace sheaf::internal
