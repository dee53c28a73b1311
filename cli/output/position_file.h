/// \file
/// Positions kept in files.

#pragma once

#include <cstdint>
#include <string>

#include "sheaf/extend/file_sink.h"
#include "sheaf/position.h"

namespace sheaf::cli {

/// Where a run stands, and how much of its output was printed by then.
struct SavedPosition {
  Position position = {};
  std::int64_t output_bytes = 0;
};

/// The line that save_position() writes: {"output_bytes":N,"position":{...}}.
///
/// Throws: ConfigError, as that of a Position.
[[nodiscard]] std::string to_json(const SavedPosition& saved);

/// Read a file that save_position() wrote, or one with a position alone: nothing was printed then.
///
/// Throws: IoError; ConfigError where the file holds no position.
[[nodiscard]] SavedPosition load_position(const std::string& path);

/// Check that save_position() may write to `path`, before any work is done for it: no file is
/// there, or one that load_position() reads.
///
/// Throws: ConfigError where another file is there, and as check_output_path(); IoError.
void check_position_path(const std::string& path);

/// Write the file as a whole, in place of any regular file: a process that is killed leaves the old
/// file or the new one, and at most a temporary file as create_file() makes them.
///
/// Throws: as create_file(), and ConfigError as to_json.
void save_position(const std::string& path, const SavedPosition& saved, Durability durability);

}  // namespace sheaf::cli
