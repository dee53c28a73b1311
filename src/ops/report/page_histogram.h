// Shows histograms of a report as charts and tables.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ops/report/page_fields.h"

namespace sheaf::internal::page {

struct HistogramBin {
  double from = 0;
  double to = 0;
  std::int64_t count = 0;
};

/// The maximum number of bins in a chart.
inline constexpr std::size_t kBinsMax = 96;

/// Reads bins from a list in the JSON. Skips elements without a range and a count.
[[nodiscard]] std::vector<HistogramBin> histogram_bins(const Json& list);

/// Returns a small chart of values.
///
/// Pre: at least one bin; `name` is HTML for an attribute.
[[nodiscard]] std::string value_histogram(const std::vector<HistogramBin>& bins,
                                          std::string_view name);

/// Returns a chart of lengths. All bars have the same width, although the ranges of the bins grow.
///
/// Pre: at least one bin.
[[nodiscard]] std::string length_histogram(const std::vector<HistogramBin>& bins);

/// Returns the bins as a folded table that opens from a summary line.
[[nodiscard]] std::string histogram_table(const std::vector<HistogramBin>& bins,
                                          std::string_view what, std::string_view counted_as);

}  // namespace sheaf::internal::page
