/// \file
/// Converts Arrow arrays to columns of sequences.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sheaf/extend/arrow_interface.h"
#include "sheaf/extend/chunk.h"
#include "sheaf/types.h"

#include "arrow/arrow_keys.h"
#include "arrow/arrow_type.h"

namespace sheaf::python {

/// The origin of a value, for error messages.
struct ArrowLocation {
  const std::string& path;  // path of the file to write
  const std::string& column;
  const ArrowKeys& keys;  // keys of the table rows
};

/// Checks that a column can be a stream of this type and shape.
///
/// Throws: ConfigError that names the column.
void check_stream(const ArrowColumnType& type, const Stream& stream);

/// Returns the column of a stream. A table row without a value is a sequence without the stream.
///
/// Pre:    check_stream() has passed.
/// Throws: DataError that names the key, if the size of a sample differs from the stream's, if an
///         index is out of range, or if a value is missing or does not fit the stream's type.
[[nodiscard]] Column arrow_column(const ArrowColumnType& type, const ArrowArray& array,
                                  const ArrowRows& rows, const Stream& stream,
                                  const ArrowLocation& location);

/// Returns the number of values in the first sample, or 0 if there is no sample.
///
/// Pre: the type has two lists of any length, and is dense.
[[nodiscard]] std::int64_t first_sample_size(const ArrowColumnType& type, const ArrowArray& array,
                                             const ArrowRows& rows);

}  // namespace sheaf::python
