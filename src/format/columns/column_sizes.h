// The samples and the memory of a column's rows.

#pragma once

#include <cstdint>
#include <vector>

#include "format/columns/column_decoder.h"
#include "format/columns/column_streams.h"

namespace sheaf::columns {

struct ColumnSizes {
  std::vector<std::int64_t> sample_counts = {};  // of each row; 0 if the row is null
  std::int64_t decoded_size_bytes = 0;           // upper bound for the Column
};

/// Returns the sizes. Reads only offsets and validity. A row whose offsets are wrong has no
/// samples.
[[nodiscard]] ColumnSizes column_sizes(const StreamColumn& column, const ColumnRows& rows);

/// Returns whether all rows that are not null have one sample of the same size. Then the rows need
/// not be read.
[[nodiscard]] bool has_equal_rows(const StreamColumn& column) noexcept;

/// Returns the sizes of rows of such a column. None of the rows is null.
///
/// Pre: has_equal_rows(column).
[[nodiscard]] ColumnSizes sizes_of_equal_rows(const StreamColumn& column, std::int64_t count);

}  // namespace sheaf::columns
