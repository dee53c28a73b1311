// The file system of the machine.

#pragma once

#include <memory>

#include "sheaf/extend/file_system.h"

#include "io/descriptor_cache.h"

namespace sheaf::internal {

/// Makes a file system for the files of the machine that uses its own descriptor cache.
///
/// Lifetime: `cache` must outlive the file system and its sources.
[[nodiscard]] std::unique_ptr<FileSystem> system_files_on(DescriptorCache& cache);

}  // namespace sheaf::internal
