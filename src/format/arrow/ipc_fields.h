// Writes fields in the metadata of Arrow's IPC formats.

#pragma once

#include "sheaf/extend/arrow_node.h"

#include "format/arrow/flat_builder.h"

namespace sheaf::arrow {

/// Returns a Schema of Schema.fbs. `type` is a struct, whose children are the columns.
///
/// Throws: InternalError for types that are never written: times, decimals, views, maps, unions,
///         runs and dictionaries.
[[nodiscard]] FlatDraft schema_draft(const ArrowNode& type);

}  // namespace sheaf::arrow
