// Opens compressed files again with the help of their index files.

#pragma once

#include <memory>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/context.h"
#include "sheaf/extend/index_file.h"

namespace sheaf::internal {

/// Returns decompressed(source). Uses the access points in the source's index file, if the file
/// system of `context` has one and the options allow its use. Returns an uncompressed source
/// unchanged.
///
/// Throws: as decompressed().
[[nodiscard]] std::shared_ptr<const ByteSource> decompressed_by_index(
    std::shared_ptr<const ByteSource> source, const IndexOptions& options, const Context& context);

}  // namespace sheaf::internal
