// A picture is a grid of levels from 0 to 1. With colours, a character is a half block and shows
// two rows of the grid. Without colours, a character shows the mean of the two rows by its ink.
//
// src/ops/report/pictures.cc makes the pictures of a report by other rules, because a page has
// pixels and a character is much larger than a pixel. A terminal shows a map in fewer rows,
// enlarges small images, and draws no picture of less than kExtentMin cells a side, which a page
// scales up. The first sample of shape [H, W] is an image here and a heat map in the report. The
// report also shows encoded images, so it shrinks all images as bytes. Here a cell is the mean of
// values of any type.

#include "output/picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "output/sample_access.h"

namespace sheaf::cli {
namespace {

constexpr std::int64_t kWidthMax = 64;
constexpr std::int64_t kImageHeightMax = 48;
constexpr std::int64_t kMapHeightMax = 24;
constexpr std::int64_t kCurveLines = 8;
constexpr std::int64_t kExtentMin = 8;  // smaller pictures say less than numbers

/// The offsets of the values of a picture: value (x, y, channel) is at
/// first + x * step_x + y * step_y + channel * step_channel.
struct Source {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t channels = 1;  // channels shown
  std::int64_t step_x = 1;
  std::int64_t step_y = 1;
  std::int64_t step_channel = 1;
  std::int64_t first = 0;
};

/// The mean values of boxes of the source. The mean of a box without finite values is NaN.
struct Grid {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t channels = 1;
  std::vector<double> cells;  // [height, width, channels]

  [[nodiscard]] double at(std::int64_t x, std::int64_t y, std::int64_t channel = 0) const {
    return cells[static_cast<std::size_t>((y * width + x) * channels + channel)];
  }
};

struct Levels {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }

  [[nodiscard]] double level(double value) const {
    if (!std::isfinite(value)) return 0;
    if (!(high > low)) return 0.5;
    // Halves the values first, because the distance of two doubles may overflow.
    return std::clamp((value / 2 - low / 2) / (high / 2 - low / 2), 0.0, 1.0);
  }
};

template <typename T>
double number_of(T value) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
    return to_float(value);
  } else {
    return static_cast<double>(value);
  }
}

/// Calls f(value) for each value in the box of a cell.
template <typename T, typename F>
void visit_box(const T* values, const Source& source, const Grid& grid, std::int64_t x,
               std::int64_t y, std::int64_t channel, F&& f) {
  const auto begin = [](std::int64_t cell, std::int64_t cells, std::int64_t all) {
    return cell * all / cells;
  };
  const std::int64_t begin_x = begin(x, grid.width, source.width);
  const std::int64_t begin_y = begin(y, grid.height, source.height);
  const std::int64_t end_x = std::max(begin_x + 1, begin(x + 1, grid.width, source.width));
  const std::int64_t end_y = std::max(begin_y + 1, begin(y + 1, grid.height, source.height));
  for (std::int64_t row = begin_y; row < end_y; ++row) {
    for (std::int64_t i = begin_x; i < end_x; ++i) {
      f(number_of(values[source.first + i * source.step_x + row * source.step_y +
                         channel * source.step_channel]));
    }
  }
}

template <typename T>
Grid mean_grid(const T* values, const Source& source, std::int64_t width, std::int64_t height) {
  Grid grid{.width = width, .height = height, .channels = source.channels, .cells = {}};
  grid.cells.reserve(static_cast<std::size_t>(width * height * source.channels));
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      for (std::int64_t channel = 0; channel < source.channels; ++channel) {
        double sum = 0;
        std::int64_t count = 0;
        visit_box(values, source, grid, x, y, channel, [&](double value) {
          if (!std::isfinite(value)) return;
          sum += value;
          ++count;
        });
        grid.cells.push_back(count > 0 ? sum / static_cast<double>(count) : std::nan(""));
      }
    }
  }
  return grid;
}

bool is_channel_count(std::int64_t extent) { return extent == 1 || extent == 3 || extent == 4; }

std::optional<Source> image_of(std::span<const std::int64_t> extents, std::int64_t first) {
  Source source{.first = first};
  if (extents.size() == 2) {
    source.height = extents[0];
    source.width = extents[1];
    source.step_y = source.width;
  } else if (extents.size() == 3 && is_channel_count(extents[2])) {
    source.height = extents[0];
    source.width = extents[1];
    source.step_x = extents[2];
    source.step_y = extents[2] * source.width;
    source.channels = extents[2] == 1 ? 1 : 3;
  } else if (extents.size() == 3 && is_channel_count(extents[0])) {
    source.height = extents[1];
    source.width = extents[2];
    source.step_y = source.width;
    source.step_channel = source.width * source.height;
    source.channels = extents[0] == 1 ? 1 : 3;
  }
  if (source.width < kExtentMin || source.height < kExtentMin) return std::nullopt;
  return source;
}

void append_color(std::string& out, Colors colors, const Grid& grid, const Levels& range,
                  std::int64_t x, std::int64_t y, int layer) {
  const auto part = [&](std::int64_t channel, double scale) {
    return static_cast<int>(
        std::lround(range.level(grid.at(x, y, std::min(channel, grid.channels - 1))) * scale));
  };
  if (grid.channels == 1) {
    fmt::format_to(std::back_inserter(out), "{};5;{}", layer, 232 + part(0, 23));  // greys
  } else if (colors == Colors::full) {
    fmt::format_to(std::back_inserter(out), "{};2;{};{};{}", layer, part(0, 255), part(1, 255),
                   part(2, 255));
  } else {
    fmt::format_to(std::back_inserter(out), "{};5;{}", layer,
                   16 + 36 * part(0, 5) + 6 * part(1, 5) + part(2, 5));  // a cube of 6 x 6 x 6
  }
}

// Appends the character that shows rows y and y + 1 of the grid. The last row may stand alone.
void append_character(std::string& out, Colors colors, const Grid& grid, const Levels& range,
                      std::int64_t x, std::int64_t y) {
  const std::int64_t below = std::min(y + 1, grid.height - 1);
  if (colors == Colors::none) {
    constexpr std::string_view kInks = " .:-=+*#%@";
    double level = 0;
    for (const std::int64_t row : {y, below}) {
      for (std::int64_t channel = 0; channel < grid.channels; ++channel) {
        level += range.level(grid.at(x, row, channel));
      }
    }
    level /= static_cast<double>(2 * grid.channels);
    out += kInks[static_cast<std::size_t>(std::lround(level * (std::ssize(kInks) - 1)))];
    return;
  }
  constexpr int kInk = 38;
  constexpr int kGround = 48;
  out += "\x1b[";
  append_color(out, colors, grid, range, x, y, kInk);
  if (y + 1 < grid.height) {
    out += ';';
    append_color(out, colors, grid, range, x, below, kGround);
  }
  out += "m\xe2\x96\x80";  // the upper half block
}

void append_grid(std::string& out, const Grid& grid, const Levels& range, std::size_t indent,
                 Colors colors) {
  for (std::int64_t y = 0; y < grid.height; y += 2) {
    out += '\n';
    out.append(indent, ' ');
    for (std::int64_t x = 0; x < grid.width; ++x) {
      append_character(out, colors, grid, range, x, y);
    }
    if (colors != Colors::none) {
      out += "\x1b[0m";
      continue;
    }
    out.erase(out.find_last_not_of(' ') + 1);  // no blanks at the end of a line
  }
}

Levels levels_of(const Grid& grid) {
  Levels range;
  for (const double cell : grid.cells) range.add(cell);
  return range;
}

std::string levels_text(const Levels& range) {
  if (!(range.low <= range.high)) return "no finite value";
  return fmt::format("dark {:.4g}, bright {:.4g}", range.low, range.high);
}

template <typename T>
void append_image(std::string& out, const T* values, const Source& source, std::size_t indent,
                  Colors colors) {
  // A half block is about as wide as high, so pixels stay square. Small images are enlarged.
  constexpr std::int64_t kGrownMax = 24;
  const double scale = std::min({1.0, kWidthMax / static_cast<double>(source.width),
                                 kImageHeightMax / static_cast<double>(source.height)});
  const std::int64_t growth =
      std::max<std::int64_t>(1, kGrownMax / std::max(source.width, source.height));
  const auto shown = [&](std::int64_t extent) {
    const double size = static_cast<double>(extent * growth) * scale;
    return std::max<std::int64_t>(1, std::llround(size));
  };
  const Grid grid = mean_grid(values, source, shown(source.width), shown(source.height));
  const Levels range =
      std::is_same_v<T, std::uint8_t> ? Levels{.low = 0, .high = 255} : levels_of(grid);
  append_grid(out, grid, range, indent, colors);
  fmt::format_to(std::back_inserter(out), "\n{:{}}({} x {} pixels; {})", "", indent, source.width,
                 source.height, levels_text(range));
}

template <typename T>
void append_map(std::string& out, const T* values, const Source& source, std::size_t indent,
                Colors colors) {
  const Grid grid = mean_grid(values, source, std::min(kWidthMax, source.width),
                              std::min(kMapHeightMax, source.height));
  const Levels range = levels_of(grid);
  append_grid(out, grid, range, indent, colors);
  fmt::format_to(std::back_inserter(out),
                 "\n{:{}}({} samples from left to right, {} values from bottom to top; {})", "",
                 indent, source.width, source.height, levels_text(range));
}

// Appends a curve. Each column spans the least to the largest value of its samples.
template <typename T>
void append_curve(std::string& out, const T* values, const Source& source, std::size_t indent) {
  Grid grid{.width = std::min(kWidthMax, source.width), .height = 1, .channels = 1, .cells = {}};
  std::vector<Levels> columns(static_cast<std::size_t>(grid.width));
  Levels all;
  for (std::int64_t x = 0; x < grid.width; ++x) {
    Levels& column = columns[static_cast<std::size_t>(x)];
    visit_box(values, source, grid, x, 0, 0, [&](double value) { column.add(value); });
    all.add(column.low);
    all.add(column.high);
  }
  const auto line_of = [&](double value) {
    return std::lround(all.level(value) * (kCurveLines - 1));
  };
  for (std::int64_t line = kCurveLines - 1; line >= 0; --line) {
    out += '\n';
    out.append(indent, ' ');
    for (const Levels& column : columns) {
      const bool has_value = column.low <= column.high;
      out += has_value && line_of(column.low) <= line && line <= line_of(column.high) ? '#' : ' ';
    }
    out.erase(out.find_last_not_of(' ') + 1);
  }
  const std::string range = all.low <= all.high
                                ? fmt::format("from {:.4g} to {:.4g}", all.low, all.high)
                                : "no finite value";
  fmt::format_to(std::back_inserter(out), "\n{:{}}({} samples from left to right; {})", "", indent,
                 source.width, range);
}

}  // namespace

Colors terminal_colors() noexcept {
  const char* const text = std::getenv("COLORTERM");  // NOLINT(concurrency-mt-unsafe)
  const std::string_view depth = text == nullptr ? "" : text;
  return depth == "truecolor" || depth == "24bit" ? Colors::full : Colors::indexed;
}

bool append_picture(std::string& out, const Stream& stream, const SequenceView& view,
                    std::size_t indent, Colors colors) {
  if (stream.storage != Storage::dense || is_opaque(stream) || view.sample_count == 0) return false;
  const auto [first, end] = sample_bounds(stream, view, 0);
  const auto fixed = stream.sample_shape.extents();
  const auto own = sample_extents(stream, view, 0);
  const auto extents = own.empty() ? fixed : own;
  if (const std::optional<Source> image = image_of(extents, first)) {
    with_type(stream.element_type, view.values,
              [&](const auto* values) { append_image(out, values, *image, indent, colors); });
    return true;
  }
  if (!stream.sample_shape.is_fixed()) return false;
  const std::int64_t size = end - first;
  const Source samples{.width = view.sample_count,
                       .height = size,
                       .step_x = size,
                       .step_y = -1,
                       .first = first + size - 1};  // the first value is at the bottom
  if (size == 1 && samples.width >= 2 * kExtentMin) {
    with_type(stream.element_type, view.values,
              [&](const auto* values) { append_curve(out, values, samples, indent); });
    return true;
  }
  if (size < kExtentMin || samples.width < kExtentMin) return false;
  with_type(stream.element_type, view.values,
            [&](const auto* values) { append_map(out, values, samples, indent, colors); });
  return true;
}

}  // namespace sheaf::cli
