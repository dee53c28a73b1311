/// \file
/// Counts the chunks, sequences and samples of a data set.

#pragma once

#include <cstdint>

#include "sheaf/extend/deserializer.h"
#include "sheaf/extend/executor.h"

namespace sheaf {

/// The counts of a whole data set.
struct DataCounts {
  std::int64_t chunks = 0;
  std::int64_t sequences = 0;
  std::int64_t samples = 0;

  friend bool operator==(const DataCounts&, const DataCounts&) = default;
};

/// Counts the chunks, sequences and samples of a data set. If the index is not complete, builds it
/// with all threads of `executor`. So this function also serves to build the index before something
/// else needs all of it.
///
/// Throws: what index() throws.
[[nodiscard]] DataCounts count_all(const Deserializer& data, Executor& executor);

}  // namespace sheaf
