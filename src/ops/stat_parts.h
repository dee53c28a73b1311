/// \file
/// The numbers of the parts of data, put together.

#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sheaf/stat.h"

namespace sheaf::internal {

/// Returns the field "part" of a report.
[[nodiscard]] nlohmann::ordered_json json_of(const StatPart& part, const StatReport& report);

/// Returns the report of whole data as JSON text, from the reports of all parts in their order.
///
/// Throws: ConfigError, and exceptions of the JSON library, where one is no such report.
[[nodiscard]] std::string merged_stat(const std::vector<nlohmann::ordered_json>& parts);

}  // namespace sheaf::internal
