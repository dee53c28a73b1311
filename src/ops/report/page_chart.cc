#include "ops/report/page_chart.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>

#include "base/text.h"

namespace sheaf::internal::page {
namespace {

constexpr double kPlotHeight = 100;
constexpr double kPlotWidth = 600;
constexpr double kSmallestBar = 1.2;  // keeps a bar of one sequence among millions visible
constexpr double kEdge = 0.04;        // a text closer to an end than this moves into the chart

// One decimal is about a tenth of a pixel.
std::string coordinate(double value) {
  std::string text = formatted("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

double inside(double share) { return std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0; }

double height_of(double share) { return kPlotHeight * (1 - inside(share)); }

// Counts an entity such as "&nbsp;" as one character.
std::size_t text_width(std::string_view html) {
  std::size_t width = 0;
  bool is_entity = false;
  for (const char each : html) {
    if (!is_entity) ++width;
    if (each == '&') is_entity = true;
    if (each == ';') is_entity = false;
  }
  return width;
}

std::string y_axis(std::span<const Tick> ticks) {
  std::size_t width = 0;
  for (const Tick& each : ticks) width = std::max(width, text_width(each.text));
  std::string out = formatted("<div class=\"y\" style=\"width:{}ch\">", width + 1);
  for (const Tick& each : ticks) {
    out +=
        formatted("<span style=\"top:{}%\">{}</span>", coordinate(height_of(each.at)), each.text);
  }
  return out + "</div>";
}

std::string x_axis(const Axes& axes) {
  std::string out = axes.x.empty() ? "" : "<div class=\"x\">";
  for (const Tick& each : axes.x) {
    const double at = inside(each.at);
    const std::string_view side = at < kEdge       ? " class=\"first\""
                                  : at > 1 - kEdge ? " class=\"last\""
                                                   : "";
    out += formatted("<span{} style=\"left:{}%\">{}</span>", side, coordinate(100 * at), each.text);
  }
  if (!axes.x.empty()) out += "</div>";
  if (!axes.x_name.empty()) out += formatted("<div class=\"xname\">{}</div>", axes.x_name);
  return out;
}

std::string svg_start(const Axes& axes, double width) {
  std::string out = formatted(
      "<svg viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}\">",
      coordinate(width), coordinate(kPlotHeight), axes.name);
  out += "<path class=\"rule\" d=\"";
  for (const Tick& each : axes.y) {
    out += formatted("M0 {}h{}", coordinate(height_of(each.at)), coordinate(width));
  }
  return out + "\"/>";
}

std::string line_points(const Line& line, std::size_t number) {
  std::string way;
  std::string dots;
  for (const Point& each : line.points) {
    const std::string x = coordinate(kPlotWidth * inside(each.x));
    const std::string y = coordinate(height_of(each.y));
    way += formatted("{}{} {}", way.empty() ? "M" : "L", x, y);
    if (each.title.empty()) continue;
    dots += formatted("<path d=\"M{} {}h0\"><title>{}</title></path>", x, y, each.title);
  }
  return formatted("<path class=\"line l{}\" d=\"{}\"/><g class=\"dots l{}\">{}</g>", number, way,
                   number, dots);
}

std::string line_key(std::span<const Line> lines) {
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].name.empty()) continue;
    out += formatted(
        "<li><svg class=\"sample\" viewBox=\"0 0 24 8\" aria-hidden=\"true\">"
        "<path class=\"line l{}\" d=\"M1 4h22\"/></svg>{}</li>",
        i, lines[i].name);
  }
  return out.empty() ? out : "<ul class=\"key\">" + out + "</ul>";
}

}  // namespace

std::string framed(const Axes& axes, std::string_view content) {
  return formatted("<div class=\"plot{}\">{}<div class=\"area\">{}</div>{}</div>\n",
                   axes.is_small ? " small" : "", y_axis(axes.y), content, x_axis(axes));
}

std::string bar_chart(const Axes& axes, std::span<const Bar> bars) {
  constexpr double kBarWidth = 10;
  std::string svg = svg_start(axes, kBarWidth * static_cast<double>(bars.size()));
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double x = kBarWidth * static_cast<double>(i);
    double height = kPlotHeight * inside(bars[i].height);
    if (height > 0) height = std::max(height, kSmallestBar);
    // The first shape is transparent and as high as the chart, so that low bars also show their
    // title.
    svg += formatted(
        "<g><title>{}</title><path d=\"M{} 0h10v100h-10z\"/><path d=\"M{} 100v-{}h9v{}z\"/></g>",
        bars[i].title, coordinate(x), coordinate(x + 0.5), coordinate(height), coordinate(height));
  }
  return framed(axes, svg + "</svg>");
}

std::string line_chart(const Axes& axes, std::span<const Line> lines) {
  assert(lines.size() <= static_cast<std::size_t>(kLinesMax));
  std::string svg = svg_start(axes, kPlotWidth);
  for (std::size_t i = 0; i < lines.size(); ++i) svg += line_points(lines[i], i);
  return line_key(lines) + framed(axes, svg + "</svg>");
}

std::string meter(double share) {
  const double width = inside(share);
  return formatted(
      "<svg class=\"meter\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" "
      "aria-hidden=\"true\"><path d=\"M0 0h100v8h-100z\"/><path d=\"M0 0h{}v8h-{}z\"/></svg>",
      coordinate(100 * width), coordinate(100 * width));
}

std::string figure(std::string_view heading, std::string_view chart, std::string_view table) {
  return formatted("<figure><figcaption>{}</figcaption>\n{}{}</figure>\n", heading, chart, table);
}

}  // namespace sheaf::internal::page
