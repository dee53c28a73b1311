/// \file
/// An OrderSummary as text.

#pragma once

#include <string>

#include "output/order_summary.h"

namespace sheaf::cli {

/// Append aligned tables for people, and the advice.
void append_order(std::string& out, const OrderSummary& summary);

/// Append a JSON object.
void append_order_json(std::string& out, const OrderSummary& summary);

}  // namespace sheaf::cli
