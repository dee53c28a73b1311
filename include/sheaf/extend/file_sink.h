/// \file
/// Files that are written: what they may replace, and when they are there.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "sheaf/extend/byte_sink.h"

namespace sheaf {

/// What becomes of a file that already has the name.
enum class Existing : std::uint8_t {
  replace,  // the new file takes its place
  refuse,   // it stays, and the new file is refused
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

/// Check that create_file() can write to `path`, before any work is done for it. Symbolic links are
/// followed. Returns whether a file already has the name.
///
/// Throws: ConfigError where `path` names a directory, pipe, socket or device, or the same file as
///         one of `sources`, by whatever path or link; IoError where its folder is not there.
bool check_output_path(const std::string& path, std::span<const std::string> sources = {});

/// Write a file that is there whole or not at all. It has a temporary name of its own in the same
/// folder until finish() is called. Without finish() the temporary file is removed.
///
/// Nothing but a regular file is ever replaced. A symbolic link stays: the file is written where
/// the link leads. Other hard links to a file that is replaced keep the old bytes.
///
/// Throws: ConfigError, as check_output_path(), and where options.existing refuses the file that is
///         there; IoError with the system's reason. finish() too: IoError where options.existing
///         refuses a file that has got the name meanwhile.
[[nodiscard]] std::unique_ptr<ByteSink> create_file(const std::string& path,
                                                    const FileOptions& options);

}  // namespace sheaf
