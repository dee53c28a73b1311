/// \file
/// What the minibatches of a mixture deliver of each member.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "sheaf/extend/order_report.h"

namespace sheaf::internal {

/// Plans the first epoch of a run for one worker, or `planned_max` sequences of the epoch, and adds
/// up what each member has. Returns nothing for data that are no mixture. `counts` are those that
/// the order sees: of pieces, where sequences are cut.
///
/// Throws: as make_sequencer(); whatever Counts throws.
[[nodiscard]] std::optional<MixtureReport> measure_mixture(
    const std::shared_ptr<const Counts>& counts, const OrderOptions& order,
    std::int64_t planned_max);

}  // namespace sheaf::internal
