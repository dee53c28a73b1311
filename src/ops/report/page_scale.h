// Scales and marks for the axes of a chart.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ops/report/page_chart.h"

namespace sheaf::internal::page {

/// Converts a number of an axis to HTML.
using NumberText = std::function<std::string(double)>;

/// An axis between two numbers.
struct Scale {
  double low = 0;
  double high = 1;

  /// Returns the position of a value: 0 at `low`, 1 at `high`.
  [[nodiscard]] double at(double value) const;
};

/// Returns a scale from 0 to a round number that is at least `largest`.
[[nodiscard]] Scale scale_from_zero(double largest);

/// Returns a scale that contains both numbers with some margin. Equal numbers lie in its middle.
[[nodiscard]] Scale scale_around(double low, double high);

/// Returns marks at the ends and in the middle of a scale. Leaves out the middle if two texts are
/// equal.
[[nodiscard]] std::vector<Tick> three_ticks(const Scale& scale, const NumberText& text);

/// Returns marks at round numbers inside a scale. There are at least two marks, and at most `parts`
/// + 1 if that allows two.
///
/// Pre: 1 <= parts <= 8.
[[nodiscard]] std::vector<Tick> round_ticks(const Scale& scale, const NumberText& text, int parts);

}  // namespace sheaf::internal::page
