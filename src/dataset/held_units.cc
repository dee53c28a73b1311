#include "dataset/held_units.h"

#include <optional>

#include "sheaf/extend/index.h"

#include "index/units.h"

namespace sheaf::internal {

std::shared_ptr<const HeldUnit> HeldUnits::unit_of(ChunkIndex chunk, std::int64_t sequence) {
  const std::optional<ChunkInfo> info = data_.index().chunk(chunk);
  const Units units(*info);
  const std::int64_t number = units.of(sequence);
  const std::pair name(chunk, number);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = units_.find(name); found != units_.end()) return found->second;
  }
  const std::int64_t first = units.first(number);
  Diagnostics diagnostics;
  Chunk content = data_.read({chunk, first, units.first(number + 1) - first}, diagnostics);
  const auto unit = std::make_shared<const HeldUnit>(
      HeldUnit{.first = first, .chunk = std::move(content), .diagnostics = std::move(diagnostics)});
  const std::scoped_lock lock(mutex_);
  return units_.emplace(name, unit).first->second;
}

}  // namespace sheaf::internal
