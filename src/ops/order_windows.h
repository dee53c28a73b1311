// Other windows than the one that was asked for.

#pragma once

#include <memory>
#include <vector>

#include "sheaf/extend/counts.h"
#include "sheaf/extend/order_report.h"
#include "sheaf/order_summary.h"

namespace sheaf::internal {

/// Measures half the window, the window itself and twice the window, as far as there are data for
/// it; and the largest window that fits the memory limit, if there is one. Ascending. The summary
/// has all but windows and advice.
///
/// Throws: as measure_order.
[[nodiscard]] std::vector<WindowChoice> measure_windows(const OrderSummary& summary,
                                                        const std::shared_ptr<const Counts>& counts,
                                                        OrderReportOptions options);

/// Returns about how much memory reading and minibatches take besides window and index.
[[nodiscard]] double reading_bytes(const OrderSummary& summary);

/// Returns the memory that a worker's window may take; 0 or less where the limit has no room for a
/// window.
///
/// Pre: there is a limit.
[[nodiscard]] double window_room_bytes(const OrderSummary& summary);

}  // namespace sheaf::internal
