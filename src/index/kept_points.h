// Compressed files that are opened again.

#pragma once

#include <memory>

#include "sheaf/byte_source.h"
#include "sheaf/executor.h"
#include "sheaf/index_file.h"

namespace sheaf::internal {

/// Returns decompressed(source), with the access points that the source's index file keeps, where
/// it has one and the options allow its use. Returns a source that is not compressed as it is.
///
/// Throws: as decompressed().
[[nodiscard]] std::shared_ptr<const ByteSource> decompressed_by_index(
    std::shared_ptr<const ByteSource> source, const IndexOptions& options, Executor* executor);

}  // namespace sheaf::internal
