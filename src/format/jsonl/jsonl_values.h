// From the values of fields to columns.

#pragma once

#include "sheaf/types.h"

#include "core/column_writer.h"
#include "format/jsonl/jsonl_line.h"

namespace sheaf::jsonl {

/// A value to read, and what of.
struct ValueRequest {
  const Field& field;
  const Stream& stream;
  const char* end;  // of the row
};

/// Reads a value of a field, not null, to the end of a column. Returns false, and says what is
/// wrong first, where it is no value of the stream: samples may have been added then.
using ReadValue = bool (*)(const ValueRequest& request, internal::ColumnWriter& column,
                           Fault& fault);

/// Returns what reads values of a stream.
[[nodiscard]] ReadValue value_reader(const Stream& stream);

}  // namespace sheaf::jsonl
