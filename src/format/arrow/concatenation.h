// Concatenates several arrays.

#pragma once

#include <cstdint>
#include <span>

#include "sheaf/extend/arrow_node.h"

#include "format/arrow/ipc_schema.h"

namespace sheaf::arrow {

/// The first values of an array.
struct ArrayHead {
  const ArrowNode* array;
  std::int64_t length;
};

/// Returns whether concatenated() accepts arrays of a field. It accepts all types except unions,
/// arrays of runs, and fields with dictionaries.
[[nodiscard]] bool can_concatenate(const IpcField& field) noexcept;

/// Returns the values of all arrays, one array after the other.
///
/// Pre:    can_concatenate(field). The arrays come from a BodyReader: their offsets are 0, and the
///         offsets of texts and lists lie within their values.
/// Throws: DataError without a location if there are too many values for the offsets of the type.
[[nodiscard]] ArrowNode concatenated(const IpcField& field, std::span<const ArrayHead> arrays);

}  // namespace sheaf::arrow
