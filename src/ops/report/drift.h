// Measures how much parts of data differ.

#pragma once

#include <vector>

#include "sheaf/report.h"

#include "ops/report/data_numbers.h"

namespace sheaf::internal {

/// Returns how much the slices of the data differ from the whole on average: in lengths, and in the
/// values and ids of each stream. Returns nothing if there are fewer than two slices.
[[nodiscard]] std::vector<Drift> drift_of_slices(const DataNumbers& numbers);

/// Returns how much the data differ from other data in the streams that both have.
[[nodiscard]] std::vector<Drift> drift_between(const DataNumbers& numbers,
                                               const DataNumbers& others);

}  // namespace sheaf::internal
