// Advice about an order, derived from its measurements.

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sheaf/order_summary.h"

namespace sheaf::internal {

/// Returns advice in plain words: the problems of an order, the resources that it needs, and better
/// choices. Returns nothing if there is nothing to improve. All fields of the summary except
/// `advice` must be set. `option_text` is as in OrderSummaryOptions.
[[nodiscard]] std::vector<Advice> advice_on(
    const OrderSummary& summary,
    const std::function<std::string(std::string_view name, std::string_view value)>& option_text);

}  // namespace sheaf::internal
