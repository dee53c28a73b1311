// Forecasts what the order `keyed` would do to the data of a report.

#pragma once

#include "ops/report/sections.h"

namespace sheaf::internal {

/// Plans minibatches of 256 sequences in the order `keyed` for 1, 8 and 64 workers, and returns how
/// well the minibatches are mixed and how much memory a worker takes. Reads no data. Returns null
/// for data without sequences, and for data that the order refuses.
[[nodiscard]] Json keyed_forecast(const ReportSource& source);

}  // namespace sheaf::internal
