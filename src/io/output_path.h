// Finds the path under which a file can be written.

#pragma once

#include <string>

namespace sheaf::internal {

/// The path to write to when a file of some path is asked for.
struct OutputTarget {
  std::string path;       // the path asked for, with the symbolic links at its end resolved
  bool is_taken = false;  // whether a regular file already has this path
};

/// Follows the symbolic links at the end of `path`, including those that lead to no file yet.
///
/// Throws: ConfigError if something other than a regular file is there; IoError for links that lead
///         nowhere, and if the file cannot be examined.
[[nodiscard]] OutputTarget find_output_target(const std::string& path);

/// Checks that a file can be written to `path`. Returns whether a regular file already has this
/// path.
///
/// Throws: as find_output_target(); IoError also if the folder does not exist.
bool can_create_file(const std::string& path);

}  // namespace sheaf::internal
