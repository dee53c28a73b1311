/// \file
/// From Arrow arrays to columns of sequences.

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

/// What errors say of where a value comes from.
struct ArrowPlace {
  const std::string& path;  // of the file that is written
  const std::string& column;
  const ArrowKeys& keys;  // of the rows
};

/// A column as that of a stream. A row without a value is a sequence without the stream.
///
/// Throws: DataError that names the key, where a sample has another size than the stream's, an
///         index is out of range, a value is missing or is none of the stream's type.
[[nodiscard]] Column arrow_column(const ArrowColumnType& type, const ArrowArray& array,
                                  const ArrowRows& rows, const Stream& stream,
                                  const ArrowPlace& place);

/// Values of the first sample that there is; 0 where there is none.
///
/// Pre: the type has two lists of any length, and is dense.
[[nodiscard]] std::int64_t first_sample_size(const ArrowColumnType& type, const ArrowArray& array,
                                             const ArrowRows& rows);

}  // namespace sheaf::python
