/// \file
/// Measures how much the minibatches of a mixture take from each member.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "sheaf/extend/order_report.h"

namespace sheaf::internal {

/// Plans the first epoch of a run for one worker, or `planned_max` sequences of that epoch, and
/// adds up the share of each member. Returns nothing if the data are no mixture. `counts` are the
/// counts that the order sees. If sequences are cut, these count pieces.
///
/// Throws: as make_sequencer(); the exceptions of Counts.
[[nodiscard]] std::optional<MixtureReport> measure_mixture(
    const std::shared_ptr<const Counts>& counts, const OrderOptions& order,
    std::int64_t planned_max);

}  // namespace sheaf::internal
