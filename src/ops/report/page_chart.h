// Charts as inline SVG, without scripts.
//
// The SVG has shapes alone and stretches to the width of the page. The texts of the axes are HTML
// beside it, so that they keep their size on a phone. Each shape has a <title>, which browsers show
// under the pointer. A chart stands before a table with its numbers.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf::internal::page {

/// A mark on an axis.
struct Tick {
  double at = 0;     // 0 is the left or lower end of the axis, 1 the other end
  std::string text;  // HTML
};

struct Axes {
  std::string name;    // what the chart shows, for an attribute
  std::string x_name;  // HTML below the chart; may be empty
  std::vector<Tick> x;
  std::vector<Tick> y;
  bool is_small = false;
};

struct Bar {
  double height = 0;  // 1 is the upper end of the axis
  std::string title;  // HTML of a title
};

/// A point of a line.
struct Point {
  double x = 0;
  double y = 0;
  std::string title;
};

struct Line {
  std::string_view name;  // HTML for the key; empty where the chart has one line
  std::vector<Point> points;
};

/// The most lines of a chart: each has a colour and a dash of its own.
inline constexpr int kLinesMax = 3;

/// Returns a chart of bars, all of one width.
[[nodiscard]] std::string bar_chart(const Axes& axes, std::span<const Bar> bars);

/// Returns a chart of lines, with a key where lines have names.
///
/// Pre: at most kLinesMax lines.
[[nodiscard]] std::string line_chart(const Axes& axes, std::span<const Line> lines);

/// Returns a frame of axes around something that stretches, such as a picture.
[[nodiscard]] std::string framed(const Axes& axes, std::string_view content);

/// Returns a bar for the cell of a table. The number itself stands in a cell beside it.
[[nodiscard]] std::string meter(double share);

/// Returns a figure with a heading above a chart and a table behind it.
[[nodiscard]] std::string figure(std::string_view heading, std::string_view chart,
                                 std::string_view table);

}  // namespace sheaf::internal::page
