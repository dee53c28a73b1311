// The keys that a column of a table has.

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
  std::vector<std::string> texts = {};  // empty where keys are numbers
};

/// Returns the keys of rows.
///
/// Throws: DataError where a key is null or negative, or the place of its text is wrong. `batches`
///         is for the message.
[[nodiscard]] TableKeys table_keys(const KeyColumn& column, const ColumnRows& rows,
                                   const ArrowBatches& batches);

}  // namespace sheaf::columns
