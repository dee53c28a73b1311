// How many samples the rows of a column have, and how much memory they take.

#pragma once

#include <cstdint>
#include <vector>

#include "format/columns/column_decoder.h"
#include "format/columns/column_streams.h"

namespace sheaf::columns {

struct ColumnSizes {
  std::vector<std::int64_t> sample_counts = {};  // of each row; 0 where the row is null
  std::int64_t decoded_size_bytes = 0;           // of the Column, at most
};

/// Looks at offsets and validity alone. A row whose offsets are wrong has no samples.
[[nodiscard]] ColumnSizes column_sizes(const StreamColumn& column, const ColumnRows& rows);

}  // namespace sheaf::columns
