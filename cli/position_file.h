/// \file
/// Positions kept in files.

#pragma once

#include <cstdint>
#include <string>

#include "sheaf/position.h"

namespace sheaf::cli {

/// Where a run stands, and how much of its output was printed by then.
struct SavedPosition {
  Position position = {};
  std::int64_t output_bytes = 0;
};

/// What outlives a crash of the machine. A crash of the process harms neither.
enum class Durability : std::uint8_t {
  process,  // a machine that crashes may leave any file, also none
  machine,  // it leaves the old file or the new one
};

/// The line that save_position() writes: {"output_bytes":N,"position":{...}}.
///
/// Throws: ConfigError, as that of a Position.
[[nodiscard]] std::string to_json(const SavedPosition& saved);

/// Read a file that save_position() wrote, or one with a position alone: nothing is printed then.
///
/// Throws: IoError; ConfigError where the file holds no position.
[[nodiscard]] SavedPosition load_position(const std::string& path);

/// Replace the file as a whole: a process that is killed leaves the old one or the new one, and at
/// most a file of the same name with `.tmp` behind it.
///
/// Throws: IoError; ConfigError, as to_json.
void save_position(const std::string& path, const SavedPosition& saved, Durability durability);

}  // namespace sheaf::cli
