// What the numbers of a report mean, in sentences.

#pragma once

#include <vector>

#include "sheaf/report.h"

#include "ops/report/sections.h"

namespace sheaf::internal {

/// Returns the findings of a report that has all sections, the worst first. The texts name streams
/// and counts, and no value of the data.
[[nodiscard]] std::vector<Finding> verdict_of(const Json& report);

/// Returns findings as JSON.
[[nodiscard]] Json verdict_json(const std::vector<Finding>& findings);

}  // namespace sheaf::internal
