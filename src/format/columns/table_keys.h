// The keys in a column of a table.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sheaf/extend/arrow_data.h"
#include "sheaf/types.h"

#include "format/columns/column_decoder.h"
#include "format/columns/column_streams.h"

namespace sheaf::columns {

struct TableKeys {
  std::vector<SequenceKey> keys = {};
  std::vector<std::string> texts = {};  // empty if keys are numbers
};

/// Returns the keys of rows. `batches` is for messages.
///
/// Throws: DataError if a key is null or negative, or if the offsets of its text are wrong.
[[nodiscard]] TableKeys table_keys(const KeyColumn& column, const ColumnRows& rows,
                                   const ArrowBatches& batches);

}  // namespace sheaf::columns
