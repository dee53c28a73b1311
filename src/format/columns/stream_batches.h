// Checks of batches that other libraries provide.

#pragma once

#include <string_view>

#include "sheaf/extend/arrow_interface.h"

namespace sheaf::columns {

/// Returns whether a row of a batch is null as a whole. Tables have no such rows.
[[nodiscard]] bool has_null_rows(const ArrowArray& batch) noexcept;

/// Throws: ConfigError unless the schema is a struct, whose children are the columns.
void check_is_table(const ArrowSchema& schema, std::string_view name);

}  // namespace sheaf::columns
