// Units: the least that is read for itself.

#pragma once

#include <cstdint>
#include <vector>

#include "sheaf/index.h"

namespace sheaf::internal {

/// Bytes of the source that a unit has at the most, unless a single sequence has more.
inline constexpr std::int64_t kUnitSizeBytes = std::int64_t{1} << 20;

/// Where the units of a chunk begin: the number of the first sequence of each, and behind the last
/// one the number of sequences. The reader reads by them; formats keep a hash for each.
[[nodiscard]] std::vector<std::int64_t> unit_firsts(const SequenceTable& sequences,
                                                    std::int64_t chunk_size_bytes);

}  // namespace sheaf::internal
