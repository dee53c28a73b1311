// Forecasts how the order `keyed` would work on the data of a report.

#pragma once

#include <cstdint>
#include <vector>

#include "sheaf/extend/order_report.h"
#include "sheaf/open.h"

#include "ops/report/sections.h"

namespace sheaf::internal {

/// Plans minibatches of 256 sequences in the order `keyed` for 1, 8 and 64 workers. Returns how
/// well the minibatches are mixed and how much memory a worker needs. Reads no data. Returns null
/// if the data have no sequences, if the data cannot be read to their end, or if the order refuses
/// the weights of a mixture.
///
/// Throws: ConfigError if OpenedData::window_chunks is below 1; IoError and DataError, while
///         finding chunks.
[[nodiscard]] Json keyed_forecast(const ReportSource& source);

/// Measures the order `keyed` for 1, 8 and 64 workers, and returns a report for each.
///
/// Throws: as measure_order().
/// Cost:   plans up to 100 minibatches, and roughly 50,000 sequences of all workers together.
[[nodiscard]] std::vector<OrderReport> keyed_reports(const OpenedData& data);

/// Returns the numbers that the forecast shows of an order with `workers` workers.
[[nodiscard]] Json worker_forecast(const OrderReport& report, std::int64_t workers);

}  // namespace sheaf::internal
