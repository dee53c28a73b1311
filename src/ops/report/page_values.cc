#include "ops/report/page_values.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/text.h"
#include "ops/report/page_chart.h"
#include "ops/report/page_image.h"
#include "ops/report/page_scale.h"
#include "ops/report/page_text.h"

namespace sheaf::internal::page {
namespace {

constexpr std::int64_t kSideMax = 4096;
constexpr std::int64_t kPixelBytesMax = 1 << 19;
constexpr std::size_t kCurveMax = 512;
constexpr std::size_t kIdsMax = 64;
constexpr int kTextShownMax = 400;
constexpr int kFewRows = 4;

// Decodes the bytes of a picture. Returns nothing if their number is not `size`.
std::optional<std::vector<std::byte>> pixel_bytes(const std::string& text, std::int64_t size) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(base64_bytes_max(std::ssize(text))));
  const DecodedBase64 decoded = decode_base64(text, bytes.data());
  if (!decoded.is_right() || decoded.size_bytes != size) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(size));
  return bytes;
}

bool is_side(const std::optional<std::int64_t>& extent) {
  return extent && *extent > 0 && *extent <= kSideMax;
}

// Describes the range of colours: "Colors go from -3.2 to 7."
std::string range_of_heat(const Json& heat) {
  const std::optional<double> low = number_in(heat, "low");
  const std::optional<double> high = number_in(heat, "high");
  if (!low || !high) return {};
  return formatted(" Colors go from {} (dark) to {}.", value_text(*low), value_text(*high));
}

// Samples run to the right and values run up, as in a spectrogram. Few samples with many values are
// not turned, and neither is a sample that is a matrix.
std::string heat_html(const Json& stream, const std::string& name) {
  const Json& heat = field(stream, "heat");
  const std::optional<std::int64_t> rows = count_in(heat, "rows");
  const std::optional<std::int64_t> columns = count_in(heat, "columns");
  if (!is_side(rows) || !is_side(columns) || *rows * *columns > kPixelBytesMax) return {};
  const auto levels = pixel_bytes(text_in(heat, "levels"), *rows * *columns);
  if (!levels) return {};
  const bool is_matrix = count_in(stream, "samples") == 1;
  const bool is_turned = !is_matrix && *rows >= kFewRows;
  std::vector<std::byte> pixels = *levels;
  if (is_turned) {
    pixels.clear();
    for (std::int64_t value = *columns - 1; value >= 0; --value) {
      for (std::int64_t sample = 0; sample < *rows; ++sample) {
        pixels.push_back((*levels)[static_cast<std::size_t>(sample * *columns + value)]);
      }
    }
  }
  const auto width = static_cast<int>(is_turned ? *rows : *columns);
  const auto height = static_cast<int>(is_turned ? *columns : *rows);
  return image_html({width, height, Palette::heat, pixels}, is_matrix ? "matrix" : "heat",
                    formatted("Heat map of {}: {} rows of {} values", name, *rows, *columns)) +
         formatted("<p class=\"soft\">{}{}</p>",
                   is_matrix   ? "The sample as a matrix."
                   : is_turned ? "Samples from left to right, values from bottom to top."
                               : "Values from left to right, samples from top to bottom.",
                   range_of_heat(heat));
}

std::string image_part(const Json& image, const std::string& name) {
  const std::optional<std::int64_t> width = count_in(image, "width");
  const std::optional<std::int64_t> height = count_in(image, "height");
  const std::int64_t channels = count_in(image, "channels").value_or(3);
  if (!is_side(width) || !is_side(height) || (channels != 1 && channels != 3)) return {};
  const std::int64_t size = *width * *height * channels;
  if (size > kPixelBytesMax) return {};
  const auto pixels = pixel_bytes(text_in(image, "pixels"), size);
  if (!pixels) return {};
  const Palette palette = channels == 3 ? Palette::rgb : Palette::gray;
  return image_html({static_cast<int>(*width), static_cast<int>(*height), palette, *pixels},
                    "thumb", formatted("Picture of {}, {} by {} pixels", name, *width, *height));
}

// A non-finite value is a text in JSON and a gap in the curve.
std::string curve_html(const Json& stream, const std::string& name) {
  const Json::array_t& values = list_in(stream, "line");
  const std::size_t count = std::min(values.size(), kCurveMax);
  if (count == 1) return formatted("<p class=\"mono\">{}</p>", value_html(values[0]));
  double low = 0;
  double high = 0;
  Line line;
  for (std::size_t i = 0; i < count; ++i) {
    if (!values[i].is_number()) continue;
    const auto value = values[i].get<double>();
    low = line.points.empty() ? value : std::min(low, value);
    high = line.points.empty() ? value : std::max(high, value);
    line.points.push_back({static_cast<double>(i) / static_cast<double>(count - 1), value, {}});
  }
  if (line.points.empty()) return {};
  const Scale scale = scale_around(low, high);
  for (Point& each : line.points) each.y = scale.at(each.y);
  const Axes axes = {formatted("Values of {} along the sequence", name),
                     count_in(stream, "samples") == 1 ? "values of the sample" : "samples",
                     {},
                     round_ticks(scale, value_text, 3),
                     true};
  return line_chart(axes, std::span(&line, 1));
}

std::string ids_html(const Json& stream) {
  const Json::array_t& pairs = list_in(stream, "ids");
  std::int64_t more = count_in(stream, "more").value_or(0);
  std::string out;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i >= kIdsMax) {
      ++more;
      continue;
    }
    const Json& each = pairs[i];
    const std::string id = value_html(each.is_array() ? element(each, 0) : each);
    const std::string value = value_html(element(each, 1));
    if (!id.empty()) out += "<span>" + id + (value.empty() ? value : ":" + value) + "</span> ";
  }
  if (out.empty()) return out;
  if (more > 0) out += formatted("and {} more", count_text(more));
  return "<p class=\"ids\">" + out + "</p>";
}

}  // namespace

std::string values_html(const Json& stream) {
  const std::string name = plain(text_in(stream, "name"));
  std::string out = heat_html(stream, name) + image_part(field(stream, "image"), name) +
                    curve_html(stream, name) + ids_html(stream);
  const Json& text = field(stream, "text");
  if (text.is_string()) {
    out += "<pre>" + marked_lines(text.get_ref<const std::string&>(), kTextShownMax) + "</pre>";
  }
  return out;
}

}  // namespace sheaf::internal::page
