#include "ops/report/page_scale.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace sheaf::internal::page {
namespace {

// Rounds up to 1, 2, 2.5, 5 or 10 times a power of ten.
double round_up(double size) {
  const double power = std::pow(10.0, std::floor(std::log10(size)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (size <= factor * power) return factor * power;
  }
  return 10 * power;
}

}  // namespace

double Scale::at(double value) const {
  const double width = high - low;
  return width > 0 ? (value - low) / width : 0.5;
}

Scale scale_from_zero(double largest) {
  constexpr double kTiny = 1e-300;
  if (!std::isfinite(largest) || largest < kTiny) return {};
  return {0, round_up(largest)};
}

Scale scale_around(double low, double high) {
  constexpr double kMargin = 0.08;
  constexpr double kLargest = 1e300;
  low = std::clamp(low, -kLargest, kLargest);
  high = std::clamp(high, -kLargest, kLargest);
  const double room = high > low ? kMargin * (high - low) : std::max(std::abs(low) * kMargin, 1e-9);
  return {low - room, high + room};
}

std::vector<Tick> three_ticks(const Scale& scale, const NumberText& text) {
  const std::string low = text(scale.low);
  const std::string middle = text(scale.low + (scale.high - scale.low) / 2);
  const std::string high = text(scale.high);
  if (middle == low || middle == high) return {{0, low}, {1, high}};
  return {{0, low}, {0.5, middle}, {1, high}};
}

std::vector<Tick> round_ticks(const Scale& scale, const NumberText& text, int parts) {
  constexpr double kSlack = 1e-9;  // tolerance in steps, since the end of a scale may be rounded
  assert(parts >= 1 && parts <= 8);
  const double width = scale.high - scale.low;
  if (!(width > 0) || !std::isfinite(width)) return {{0.5, text(scale.low)}};
  for (int tries = 0; tries < 4; ++tries, parts *= 2) {
    const double step = round_up(width / parts);
    const double first = std::ceil(scale.low / step - kSlack);
    std::vector<Tick> ticks;
    for (int i = 0; i <= parts; ++i) {
      const double value = (first + i) * step;
      if (value > scale.high + kSlack * step) break;
      ticks.push_back({scale.at(value), text(value)});
    }
    if (ticks.size() > 1) return ticks;
  }
  return {{0, text(scale.low)}, {1, text(scale.high)}};
}

}  // namespace sheaf::internal::page
