// Compares alternatives to the requested window.

#pragma once

#include <memory>
#include <vector>

#include "sheaf/extend/counts.h"
#include "sheaf/extend/order_report.h"
#include "sheaf/order_summary.h"

namespace sheaf::internal {

/// Measures half the window, the window and twice the window, each limited to the size of the data.
/// With a memory limit, also measures the largest window that fits. Returns the windows in
/// ascending order. All fields of the summary except the windows and the advice must be set.
///
/// Throws: as measure_order.
[[nodiscard]] std::vector<WindowChoice> measure_windows(const OrderSummary& summary,
                                                        const std::shared_ptr<const Counts>& counts,
                                                        OrderReportOptions options);

/// Returns roughly how much memory reading and minibatches take, in addition to window and index.
[[nodiscard]] double reading_bytes(const OrderSummary& summary);

/// Returns how much memory the window of a worker may take. 0 or less means that the limit has no
/// room for a window.
///
/// Pre: the summary has a memory limit.
[[nodiscard]] double window_room_bytes(const OrderSummary& summary);

}  // namespace sheaf::internal
