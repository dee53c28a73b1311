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

/// Returns whether all rows without a null have one sample of one size, so that nobody needs to
/// look at them.
[[nodiscard]] bool has_equal_rows(const StreamColumn& column) noexcept;

/// Returns the sizes of rows of such a column, none of which is null.
///
/// Pre: has_equal_rows(column).
[[nodiscard]] ColumnSizes sizes_of_equal_rows(const StreamColumn& column, std::int64_t count);

}  // namespace sheaf::columns
