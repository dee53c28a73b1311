// Reads values of fields into columns.

#pragma once

#include "sheaf/types.h"

#include "core/column_writer.h"
#include "format/jsonl/jsonl_line.h"

namespace sheaf::jsonl {

/// A value to read, and its context.
struct ValueRequest {
  const Field& field;
  const Stream& stream;
  const char* end;  // end of the row
};

/// Reads a value of a field, which is not null, to the end of a column. If the value does not fit
/// the stream, sets the fault to the first error and returns false; samples may have been added
/// then.
using ReadValue = bool (*)(const ValueRequest& request, internal::ColumnWriter& column,
                           Fault& fault);

/// Returns the function that reads values of a stream.
[[nodiscard]] ReadValue value_reader(const Stream& stream);

}  // namespace sheaf::jsonl
