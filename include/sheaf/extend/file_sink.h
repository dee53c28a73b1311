/// \file
/// Creates files that appear whole or not at all.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "sheaf/extend/byte_sink.h"

namespace sheaf {

/// What happens to a file that already has the name.
enum class Existing : std::uint8_t {
  replace,  // the new file replaces the old one
  refuse,   // the old file stays, and the new file is refused
};

/// Which crashes the file survives. After such a crash, either the complete old file or the
/// complete new file exists.
enum class Durability : std::uint8_t {
  machine,  // crashes of the machine: bytes and name are on the disk when finish() returns
  process,  // only crashes of the process: faster; a power cut may leave a damaged file or none
};

struct FileOptions {
  Existing existing = Existing::replace;
  Durability durability = Durability::machine;
};

/// Checks that create_file() can write to `path`, before the work begins. Follows symbolic links.
/// Returns whether a file already has the name.
///
/// Throws: ConfigError if `path` is a directory, pipe, socket or device, or the same file as one of
///         `sources`, by any path or link; IoError if the folder does not exist.
bool check_output_path(const std::string& path, std::span<const std::string> sources = {});

/// Creates a file that appears whole or not at all. Until finish(), the file has a unique temporary
/// name in the same folder. Without finish(), the temporary file is removed.
///
/// Only regular files are ever replaced. A symbolic link stays, and its target is written. Other
/// hard links to a replaced file keep the old bytes.
///
/// Throws: ConfigError as check_output_path(), and if options.existing refuses to replace an
///         existing file; IoError with the system's reason. finish() also throws an IoError if
///         options.existing refuses to replace a file that was created in the meantime.
[[nodiscard]] std::unique_ptr<ByteSink> create_file(const std::string& path,
                                                    const FileOptions& options);

}  // namespace sheaf
