// Few bins for charts, out of many.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sheaf/stat.h"
#include "sheaf/types.h"

namespace sheaf::internal {

/// The most bars of a chart.
inline constexpr std::size_t kBarsMax = 48;

/// A bar of a chart of values: from <= value < to, and the last bar has `to`, too.
struct ValueBar {
  double from = 0;
  double to = 0;
  std::int64_t count = 0;
};

/// The bars of a chart of values.
struct ValueChart {
  std::vector<ValueBar> bars = {};
  bool is_even = true;  // the bars have one width
};

/// Returns a chart of the values of a stream: `bins` are StreamSums::bins(). Where most values
/// would share one bar, the bars have different widths, and some values between bars have none.
/// Counts of even bars are rounded: a bin counts for each bar by its part inside the bar.
[[nodiscard]] ValueChart chart_of_values(ElementType type, const ValueStat& stat,
                                         const std::vector<std::int64_t>& bins);

/// A bar of a chart of lengths, from `from` to `to`, both included.
struct LengthBar {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t count = 0;
};

/// Returns a chart of lengths. Each length has its bar where there is room; else each bar is about
/// as much longer than the one before it.
[[nodiscard]] std::vector<LengthBar> chart_of_lengths(const Histogram& lengths);

}  // namespace sheaf::internal
