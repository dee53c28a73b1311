// Numbers for the axes of a chart.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ops/report/page_chart.h"

namespace sheaf::internal::page {

/// How a number of an axis becomes HTML.
using NumberText = std::function<std::string(double)>;

/// An axis from a number to another.
struct Scale {
  double low = 0;
  double high = 1;

  /// Returns where a value lies: 0 at `low`, 1 at `high`.
  [[nodiscard]] double at(double value) const;
};

/// Returns the scale from 0 to the next round number from `largest` on.
[[nodiscard]] Scale scale_from_zero(double largest);

/// Returns a scale that holds both numbers with some room around. Equal numbers lie in its middle.
[[nodiscard]] Scale scale_around(double low, double high);

/// Returns marks at the ends and in the middle of a scale. Where two of the texts are equal, the
/// middle is left out.
[[nodiscard]] std::vector<Tick> three_ticks(const Scale& scale, const NumberText& text);

/// Returns marks at round numbers inside a scale, at least two, and at most `parts` + 1 where that
/// gives two.
///
/// Pre: 1 <= parts <= 8.
[[nodiscard]] std::vector<Tick> round_ticks(const Scale& scale, const NumberText& text, int parts);

}  // namespace sheaf::internal::page
