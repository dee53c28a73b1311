/// \file
/// Checks optional limits in bytes.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sheaf/error.h"

#include "base/text.h"

namespace sheaf::internal {

/// Checks a limit. `name` is the name of the option in messages.
///
/// Throws: ConfigError for a limit below 1.
inline void check_memory_limit(std::string_view name, std::optional<std::int64_t> bytes) {
  if (bytes.value_or(1) >= 1) return;
  throw ConfigError(formatted("{} must be at least 1, or empty (no limit): got {}", name, *bytes));
}

}  // namespace sheaf::internal
