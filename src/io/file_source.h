// Files of the machine as sources.

#pragma once

#include <memory>
#include <string>

#include "sheaf/extend/byte_source.h"

#include "io/descriptor_cache.h"

namespace sheaf::internal {

/// Opens a regular file whose descriptor is kept by `cache`. Where the descriptor was closed, a
/// read opens the file again, and checks that the file is the same one, unchanged.
///
/// Lifetime: `cache` must outlive the source.
/// Throws:   as open_file().
[[nodiscard]] std::shared_ptr<const ByteSource> open_file_source(const std::string& path,
                                                                 DescriptorCache& cache);

}  // namespace sheaf::internal
