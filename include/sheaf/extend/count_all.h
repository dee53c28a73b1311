/// \file
/// How much there is in a data set.

#pragma once

#include <cstdint>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/executor.h"

namespace sheaf {

/// What a whole data set has.
struct DataCounts {
  std::int64_t chunks = 0;
  std::int64_t sequences = 0;
  std::int64_t samples = 0;

  friend bool operator==(const DataCounts&, const DataCounts&) = default;
};

/// Counts what a data set has. Where the index is not there yet, all threads of `executor` make it,
/// so this is also the way to have the index made before something else needs all of it.
///
/// Throws: what index() throws.
[[nodiscard]] DataCounts count_all(const Deserializer& data, Executor& executor);

}  // namespace sheaf
