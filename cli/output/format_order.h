/// \file
/// An OrderSummary as text.

#pragma once

#include <string>

#include "sheaf/order_summary.h"

namespace sheaf::cli {

/// Appends aligned tables and the advice, for people.
void append_order(std::string& out, const std::string& path, const OrderSummary& summary);

}  // namespace sheaf::cli
