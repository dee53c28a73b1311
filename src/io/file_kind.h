// What files are that are no regular files.

#pragma once

#include <sys/stat.h>

namespace sheaf::internal {

/// Returns what to call a file of this mode in a message: "a directory", "a pipe", ...
///
/// Pre: the file is not a regular one.
[[nodiscard]] inline const char* file_kind(mode_t mode) noexcept {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

}  // namespace sheaf::internal
