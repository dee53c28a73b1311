// Turns rows of an Arrow array into a column of sequences.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/extend/arrow_interface.h"
#include "sheaf/extend/chunk.h"

#include "format/columns/column_streams.h"

namespace sheaf::columns {

/// Rows of one column.
struct ColumnRows {
  const ArrowArray* array = nullptr;
  std::int64_t first = 0;  // counted from the offset of the array
  std::int64_t count = 0;
  std::int64_t batch = 0;
  std::int64_t first_in_batch = 0;  // number of the first row, for messages

  /// Keeps the buffers of the array alive for columns that borrow them. If null, columns copy all
  /// values.
  std::shared_ptr<const void> owner = {};
};

/// A row that cannot be delivered, and the first reason.
struct WrongRow {
  std::int64_t row = 0;  // counted from ColumnRows::first
  std::string_view code = {};
  std::string expected = {};
  std::string found = {};
};

/// Returns the column of a stream. A row that is null is a sequence without the stream. A row that
/// cannot be decoded has no samples and is appended to `wrong`, in ascending order.
///
/// `holes` are rows, in ascending order, that have no samples, whatever the array holds.
[[nodiscard]] Column decode_column(const StreamColumn& column, const ColumnRows& rows,
                                   std::span<const std::int64_t> holes,
                                   std::vector<WrongRow>& wrong);

}  // namespace sheaf::columns
