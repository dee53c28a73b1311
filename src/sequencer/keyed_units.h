/// \file
/// The units that "keyed/1" moves as a whole, and how often its window changes.

#pragma once

#include <cstdint>

#include "sheaf/extend/counts.h"
#include "sheaf/order.h"

#include "sequencer/unit_map.h"

namespace sheaf::internal {

/// The units of a data set, and the laps of its sweeps (KeyedSweep).
///
/// Chunks that cannot be read in parts enter and leave a window whole. If the window is the whole
/// data set, nothing enters or leaves, and smaller units mix the data better.
struct KeyedUnits {
  /// The fewest units of a lap, because every tick needs some to bring in.
  static constexpr std::int64_t kLapUnitsMin = 32;

  /// With this many chunks or fewer that cannot be read in parts, the window is the whole data set.
  static constexpr std::int64_t kWholeChunksMax = 2 * kLapUnitsMin - 1;

  /// Throws: as UnitMap.
  KeyedUnits(const Counts& counts, const OrderOptions& options);

  UnitMap units;
  std::int64_t laps = 1;
};

}  // namespace sheaf::internal
