// Converts types of fields from the metadata of Arrow's IPC formats to formats of the C data
// interface.

#pragma once

#include <cstdint>
#include <string>

#include "format/arrow/flatbuffer.h"

namespace sheaf::arrow {

/// Returns the format of a field's type, such as "tsu:UTC". A field with a dictionary has the type
/// of its values.
///
/// Pre:    `field` is a Field of Schema.fbs, with `children` children.
/// Throws: DataError for types that no version of Arrow's format had by 2026.
/// Source: https://github.com/apache/arrow/blob/main/format/Schema.fbs.
[[nodiscard]] std::string format_of_field(const FlatTable& field, std::int64_t children);

/// Returns the format of integers: the table Int of Schema.fbs.
///
/// Throws: DataError.
[[nodiscard]] std::string format_of_int(const FlatTable& type);

}  // namespace sheaf::arrow
