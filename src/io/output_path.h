// Where a file may be written.

#pragma once

#include <string>

namespace sheaf::internal {

/// Where a file is written that is asked for under some path.
struct OutputPlace {
  std::string path;       // that path, with the symbolic links at its end followed
  bool is_taken = false;  // a regular file is there already
};

/// Follows the symbolic links at the end of `path`, also those that lead to no file yet.
///
/// Throws: ConfigError where something other than a regular file is there; IoError for links that
///         lead nowhere, and where what is there cannot be examined.
[[nodiscard]] OutputPlace find_output_place(const std::string& path);

/// Checks that a file can be written to `path`. Returns whether a regular file is there already.
///
/// Throws: as find_output_place(); IoError also where the folder is not there.
bool can_create_file(const std::string& path);

}  // namespace sheaf::internal
