// Charts as inline SVG, without scripts.
//
// The SVG contains only shapes and stretches to the width of the page. The texts of the axes are
// HTML beside the SVG, so that they keep their size on a phone. Each shape has a <title>, which
// browsers show under the pointer. A chart stands before a table with its numbers.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf::internal::page {

/// A mark on an axis.
struct Tick {
  double at = 0;     // 0 is the left or lower end of the axis, 1 is the other end
  std::string text;  // HTML
};

struct Axes {
  std::string name;    // describes the chart; HTML for an attribute
  std::string x_name;  // HTML below the chart; may be empty
  std::vector<Tick> x;
  std::vector<Tick> y;
  bool is_small = false;
};

struct Bar {
  double height = 0;  // 1 is the top of the chart
  std::string title;  // HTML of the title
};

/// A point of a line.
struct Point {
  double x = 0;
  double y = 0;
  std::string title;
};

struct Line {
  std::string_view name;  // HTML for the key; empty if the chart has one line
  std::vector<Point> points;
};

/// The maximum number of lines in a chart. Each line has its own colour and dash pattern.
inline constexpr int kLinesMax = 3;

/// Returns a bar chart. All bars have the same width.
[[nodiscard]] std::string bar_chart(const Axes& axes, std::span<const Bar> bars);

/// Returns a line chart. The chart has a key if the lines have names.
///
/// Pre: at most kLinesMax lines.
[[nodiscard]] std::string line_chart(const Axes& axes, std::span<const Line> lines);

/// Returns axes around stretchable content, such as a picture.
[[nodiscard]] std::string framed(const Axes& axes, std::string_view content);

/// Returns a bar for a table cell. The number itself goes into a neighbouring cell.
[[nodiscard]] std::string meter(double share);

/// Returns a figure: a heading, a chart and a table.
[[nodiscard]] std::string figure(std::string_view heading, std::string_view chart,
                                 std::string_view table);

}  // namespace sheaf::internal::page
