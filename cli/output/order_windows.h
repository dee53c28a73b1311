/// \file
/// Other windows than the one that was asked for.

#pragma once

#include <memory>
#include <vector>

#include "sheaf/extend/counts.h"
#include "sheaf/extend/order_report.h"

#include "output/order_summary.h"

namespace sheaf::cli {

/// What half the window gives, the window itself and twice as much, as far as there are data for
/// it; and the largest that fits the memory limit, if there is one. Ascending. The summary has all
/// but windows and advice.
///
/// Throws: as measure_order.
[[nodiscard]] std::vector<WindowChoice> measure_windows(const OrderSummary& summary,
                                                        const std::shared_ptr<const Counts>& counts,
                                                        OrderReportOptions options);

/// Memory that reading and minibatches take besides window and index, about.
[[nodiscard]] double reading_bytes(const OrderSummary& summary);

/// Memory that a worker's window may take; 0 or less where the limit has no room for one.
///
/// Pre: there is a limit.
[[nodiscard]] double window_room_bytes(const OrderSummary& summary);

}  // namespace sheaf::cli
