// Lists a folder with its subfolders.

#pragma once

#include <string>
#include <vector>

#include "sheaf/extend/file_system.h"

namespace sheaf::testing {

/// Returns "a/b.jpg 17" for each file and "a/" for each folder, in the order of the visit.
inline std::vector<std::string> tree_of(FileSystem& files, const std::string& folder) {
  std::vector<std::string> found;
  files.visit_tree(folder, [&](const TreeEntry& entry) {
    found.push_back(std::string(entry.path) +
                    (entry.is_folder ? "/" : " " + std::to_string(entry.size_bytes)));
  });
  return found;
}

}  // namespace sheaf::testing
