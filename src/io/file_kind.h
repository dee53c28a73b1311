// Describes files by their status.

#pragma once

#include <cstdint>

#include <sys/stat.h>

namespace sheaf::internal {

/// Returns the name of a kind of file for messages, such as "a directory" or "a pipe".
///
/// Pre: the file is not a regular file.
[[nodiscard]] inline const char* file_kind(mode_t mode) noexcept {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

/// Returns the time of a file's last change, in nanoseconds since 1970.
[[nodiscard]] inline std::int64_t modified_ns_of(const struct stat& status) noexcept {
  return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

}  // namespace sheaf::internal
