// Compressed files that are opened again.

#pragma once

#include <memory>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/context.h"
#include "sheaf/extend/index_file.h"

namespace sheaf::internal {

/// Returns decompressed(source), with the access points that the source's index file keeps, where
/// it has one in the file system of `context` and the options allow its use. Returns a source that
/// is not compressed as it is.
///
/// Throws: as decompressed().
[[nodiscard]] std::shared_ptr<const ByteSource> decompressed_by_index(
    std::shared_ptr<const ByteSource> source, const IndexOptions& options, const Context& context);

}  // namespace sheaf::internal
