/// \file
/// What to make of an order's numbers.

#pragma once

#include <string>
#include <vector>

#include "output/order_summary.h"

namespace sheaf::cli {

/// What is wrong with an order, what it needs, and what would be better, in plain words; nothing
/// where all is well. The summary has all but advice.
[[nodiscard]] std::vector<Advice> advice_on(const OrderSummary& summary);

/// A window as the option that asks for it.
[[nodiscard]] std::string window_option(const WindowChoice& window);

}  // namespace sheaf::cli
