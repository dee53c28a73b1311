// One array out of several.

#pragma once

#include <cstdint>
#include <span>

#include "sheaf/extend/arrow_node.h"

#include "format/arrow/ipc_schema.h"

namespace sheaf::arrow {

/// Some values of an array, from the first on.
struct ArrayHead {
  const ArrowNode* array;
  std::int64_t length;
};

/// Returns whether concatenated() can do its work for arrays of a field: for all types but unions,
/// arrays of runs, and fields with dictionaries.
[[nodiscard]] bool can_concatenate(const IpcField& field) noexcept;

/// Returns the values of all arrays, one array behind the other.
///
/// Pre:    can_concatenate(field). The arrays are those of BodyReader: their offsets are 0, and
///         offsets of texts and lists lie within their values.
/// Throws: DataError without a place where the values are too many for the offsets of the type.
[[nodiscard]] ArrowNode concatenated(const IpcField& field, std::span<const ArrayHead> arrays);

}  // namespace sheaf::arrow
