// Estimates the size of data as a file of the format sheaf.

#pragma once

#include <cstdint>
#include <optional>

#include "ops/report/sections.h"

namespace sheaf::internal {

struct SheafEstimate {
  std::int64_t bytes = 0;      // size of a file with all data
  std::int64_t looked_at = 0;  // bytes of the data that were written as a trial
};

/// Writes four stretches of the data to memory, and estimates the size of a file with all data.
/// Returns nothing if the data state how they are compressed, if the format cannot hold the data,
/// or if no stretch begins with a readable sequence of at most 64 MiB.
///
/// Throws: IoError.
[[nodiscard]] std::optional<SheafEstimate> sheaf_estimate(const ReportSource& source);

}  // namespace sheaf::internal
