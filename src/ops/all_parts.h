/// \file
/// Checks that a set of parts is complete.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "sheaf/part.h"

namespace sheaf::internal {

struct NamedPart {
  std::string name = {};  // the name of the file or the report, for messages
  DataPart part = {};
};

/// Checks that the parts are complete: parts 0 to count - 1, each exactly once.
///
/// Pre:    at least one part; all parts have the same count and are sorted by number.
/// Throws: ConfigError that names a missing part or two equal parts.
void check_all_parts(std::span<const NamedPart> parts);

}  // namespace sheaf::internal
