/// \file
/// Whether parts are all there.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "sheaf/part.h"

namespace sheaf::internal {

struct NamedPart {
  std::string name = {};  // of the file or the report, for messages
  DataPart part = {};
};

/// Checks that the parts are all parts of their count, each once.
///
/// Pre:    there is a part; the parts have one count and are sorted by number.
/// Throws: ConfigError that names the part that is missing, or two that are the same.
void check_all_parts(std::span<const NamedPart> parts);

}  // namespace sheaf::internal
