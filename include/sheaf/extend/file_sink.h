/// \file
/// Creates files: what they may replace, and when they appear.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "sheaf/extend/byte_sink.h"

namespace sheaf {

/// What happens to a file that already has the name.
enum class Existing : std::uint8_t {
  replace,  // the new file takes its place
  refuse,   // the old file stays, and the new file is refused
};

/// Which crashes leave the old file or the new one, and never half of either.
enum class Durability : std::uint8_t {
  machine,  // a crash of the machine: bytes and name are on the disk when finish() returns
  process,  // a crash of the process only: faster; a power cut may leave a damaged file, or none
};

struct FileOptions {
  Existing existing = Existing::replace;
  Durability durability = Durability::machine;
};

/// Checks that create_file() can write to `path`, before the work begins. Follows symbolic links.
/// Returns whether a file already has the name.
///
/// Throws: ConfigError where `path` names a directory, pipe, socket or device, or the same file as
///         one of `sources`, by any path or link; IoError where the folder does not exist.
bool check_output_path(const std::string& path, std::span<const std::string> sources = {});

/// Writes a file that appears whole or not at all. Until finish() the file has a temporary name of
/// its own in the same folder. Without finish() the temporary file is removed.
///
/// Only regular files are ever replaced. A symbolic link stays: the file is written where the link
/// leads. Other hard links to a file that is replaced keep the old bytes.
///
/// Throws: ConfigError, as check_output_path(), and where options.existing refuses an existing
///         file; IoError with the system's reason. finish() throws an IoError, too, where
///         options.existing refuses a file that took the name meanwhile.
[[nodiscard]] std::unique_ptr<ByteSink> create_file(const std::string& path,
                                                    const FileOptions& options);

}  // namespace sheaf
