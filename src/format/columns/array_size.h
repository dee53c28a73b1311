// The memory that the rows of an array take.

#pragma once

#include <cstdint>

#include "sheaf/extend/arrow_interface.h"

namespace sheaf::columns {

/// Returns the approximate bytes of an array's rows: numbers, offsets and texts. The result is a
/// guess for views and for types that cannot be streams.
///
/// Pre: the array has the type of the schema.
[[nodiscard]] std::int64_t array_size_bytes(const ArrowSchema& schema, const ArrowArray& array);

}  // namespace sheaf::columns
