/// \file
/// Positions kept in files.

#pragma once

#include <string>

#include "sheaf/position.h"

namespace sheaf::cli {

/// Throws: IoError; ConfigError where the file holds no position.
[[nodiscard]] Position load_position(const std::string& path);

/// Replace the file as a whole: after a crash it is the old one or the new one.
///
/// Throws: IoError.
void save_position(const std::string& path, const Position& position);

}  // namespace sheaf::cli
