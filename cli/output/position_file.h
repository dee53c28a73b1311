/// \file
/// Files that keep positions.

#pragma once

#include <cstdint>
#include <string>

#include "sheaf/extend/file_sink.h"
#include "sheaf/position.h"

namespace sheaf::cli {

/// A position, and the size of the output printed before it.
struct SavedPosition {
  Position position = {};
  std::int64_t output_bytes = 0;
};

/// Returns the line that save_position() writes: {"output_bytes":N,"position":{...}}.
///
/// Throws: ConfigError, as to_json() of a Position.
[[nodiscard]] std::string to_json(const SavedPosition& saved);

/// Reads a file that save_position() wrote, or a file with only a position. In the second case
/// `output_bytes` is 0.
///
/// Throws: IoError; ConfigError if the file does not contain a position.
[[nodiscard]] SavedPosition load_position(const std::string& path);

/// Checks that save_position() may write to `path`: the path is free, or its file is one that
/// load_position() reads. Call this before any expensive work.
///
/// Throws: ConfigError if another file has this path, and as check_output_path(); IoError.
void check_position_path(const std::string& path);

/// Replaces the file as a whole. A process that is killed leaves the old file or the new one, and
/// at most a temporary file of create_file().
///
/// Throws: as create_file(), and ConfigError as to_json().
void save_position(const std::string& path, const SavedPosition& saved, Durability durability);

}  // namespace sheaf::cli
