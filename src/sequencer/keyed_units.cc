#include "sequencer/keyed_units.h"

#include <algorithm>
#include <utility>

namespace sheaf::internal {
namespace {

// Returns how often the whole window changes in a sweep. `unit_count` counts the units that enter
// and leave as a whole.
std::int64_t lap_count(const UnitMap& units, std::int64_t unit_count, const OrderOptions& options) {
  const bool is_chunks = options.window_chunks.has_value();
  const std::int64_t all = is_chunks ? units.chunk_count() : units.sample_count();
  const std::int64_t window = is_chunks ? *options.window_chunks : *options.window_samples;
  const std::int64_t laps = all / window + (all % window > 0 ? 1 : 0);
  return std::max<std::int64_t>(1, std::min(laps, unit_count / KeyedUnits::kLapUnitsMin));
}

}  // namespace

KeyedUnits::KeyedUnits(const Counts& counts, const OrderOptions& options) : units(counts) {
  if (counts.reads_parts()) {
    laps = lap_count(units, units.unit_count(), options);
    return;
  }
  UnitMap whole(counts, 1);
  laps = lap_count(whole, whole.unit_count(), options);
  if (laps > 1) units = std::move(whole);
}

}  // namespace sheaf::internal
