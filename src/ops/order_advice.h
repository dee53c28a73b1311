// What to make of an order's numbers.

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/order_summary.h"

namespace sheaf::internal {

/// Says what is wrong with an order, what the order needs, and what would be better, in plain
/// words; nothing where all is well. The summary has all but advice. `option_text` is as in
/// OrderSummaryOptions.
[[nodiscard]] std::vector<Advice> advice_on(
    const OrderSummary& summary,
    const std::function<std::string(std::string_view name, std::string_view value)>& option_text);

}  // namespace sheaf::internal
