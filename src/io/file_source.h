// Sources that read files of the machine.

#pragma once

#include <memory>
#include <string>

#include "sheaf/extend/byte_source.h"

#include "io/descriptor_cache.h"

namespace sheaf::internal {

/// Opens a regular file whose descriptor is kept by `cache`. If the cache has closed the
/// descriptor, a read opens the file again, and checks that it is the same file, unchanged.
///
/// Lifetime: `cache` must outlive the source.
/// Throws:   as open_file().
[[nodiscard]] std::shared_ptr<const ByteSource> open_file_source(const std::string& path,
                                                                 DescriptorCache& cache);

}  // namespace sheaf::internal
