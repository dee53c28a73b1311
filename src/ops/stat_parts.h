/// \file
/// Merges the statistics of parts.

#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sheaf/stat.h"

namespace sheaf::internal {

/// Returns the field "part" of a report.
[[nodiscard]] nlohmann::ordered_json json_of(const StatPart& part, const StatReport& report);

/// Merges the reports of all parts, given in order. Returns the report of the whole data as JSON
/// text.
///
/// Throws: ConfigError, and exceptions of the JSON library, if a value is not a report of stat().
[[nodiscard]] std::string merged_stat(const std::vector<nlohmann::ordered_json>& parts);

}  // namespace sheaf::internal
