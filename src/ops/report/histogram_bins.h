// Reduces many bins to the few bars of a chart.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sheaf/stat.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// The most bars of a chart.
inline constexpr std::size_t kBarsMax = 48;

/// A bar of a chart of values: from <= value < to. The last bar includes `to`.
struct ValueBar {
  double from = 0;
  double to = 0;
  std::int64_t count = 0;
};

/// A chart of values.
struct ValueChart {
  std::vector<ValueBar> bars = {};
  bool is_even = true;  // all bars have the same width
};

/// Returns a chart of the values of a stream. `bins` comes from StreamSums::bins(). If one bar
/// would hold most values, the bars have different widths, and empty ranges between values have no
/// bar. The counts of bars of equal width are rounded: a bin adds to each bar the fraction of its
/// count that overlaps the bar.
[[nodiscard]] ValueChart chart_of_values(ElementType type, const ValueStat& stat,
                                         const std::vector<std::int64_t>& bins);

/// A bar of a chart of lengths, from `from` to `to`, both included.
struct LengthBar {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t count = 0;
};

/// Returns a chart of lengths. Each length has its own bar if there are few lengths. Otherwise each
/// bar is wider than the one before by about the same factor.
[[nodiscard]] std::vector<LengthBar> chart_of_lengths(const Histogram& lengths);

}  // namespace sheaf::internal
