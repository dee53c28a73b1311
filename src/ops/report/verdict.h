// Explains the numbers of a report in sentences.

#pragma once

#include <vector>

#include "sheaf/report.h"

#include "ops/report/sections.h"

namespace sheaf::internal {

/// Returns the findings of a report, the worst first. The report must have all sections. The texts
/// contain names of streams and counts, but no values of the data.
[[nodiscard]] std::vector<Finding> verdict_of(const Json& report);

/// Returns findings as JSON.
[[nodiscard]] Json verdict_json(const std::vector<Finding>& findings);

}  // namespace sheaf::internal
