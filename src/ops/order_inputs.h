// The inputs of measure_order() for open data.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "sheaf/extend/counts.h"
#include "sheaf/extend/deserializer.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// What measure_order() needs to know about a data set.
struct OrderInputs {
  std::shared_ptr<const Counts> counts = nullptr;  // of the data after transforms

  /// Returns how much memory a decoded chunk takes, as OrderReportOptions::chunk_bytes. A window
  /// holds chunks before transforms.
  std::function<double(ChunkIndex chunk)> chunk_bytes = {};

  std::int64_t size_bytes = 0;  // of all chunks in the files
};

/// Finds all chunks of a data set, and returns the inputs for measuring orders.
///
/// Pre:    `data` is not null.
/// Throws: IoError and DataError, while finding the chunks.
/// Cost:   8 bytes for each chunk.
[[nodiscard]] OrderInputs order_inputs(const std::shared_ptr<const Deserializer>& data);

}  // namespace sheaf::internal
