// Finds all files below a folder of the machine.

#pragma once

#include <functional>
#include <string>

#include "sheaf/extend/file_system.h"

#include "io/descriptor_cache.h"

namespace sheaf::internal {

/// Implements FileSystem::visit_tree(). One descriptor is open at a time. `cache` makes room for
/// it.
void visit_file_tree(const std::string& folder, DescriptorCache& cache,
                     const std::function<void(const TreeEntry& entry)>& visit);

}  // namespace sheaf::internal
