#include "image/pillow_axis.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace sheaf::internal {
namespace {

double sinc(double x) noexcept {
  if (x == 0.0) return 1.0;
  x *= std::numbers::pi;
  return std::sin(x) / x;
}

double weight_at(ResizeFilter filter, double x) noexcept {
  switch (filter) {
    case ResizeFilter::nearest:
      break;
    case ResizeFilter::box:
      return x > -0.5 && x <= 0.5 ? 1.0 : 0.0;
    case ResizeFilter::bilinear:
      x = std::fabs(x);
      return x < 1.0 ? 1.0 - x : 0.0;
    case ResizeFilter::hamming: {
      constexpr double kMean = 0.54F;  // floats, as in Pillow
      constexpr double kSwing = 0.46F;
      x = std::fabs(x);
      if (x == 0.0) return 1.0;
      if (x >= 1.0) return 0.0;
      x *= std::numbers::pi;
      return std::sin(x) / x * (kMean + kSwing * std::cos(x));
    }
    case ResizeFilter::bicubic: {
      constexpr double kA = -0.5;
      x = std::fabs(x);
      if (x < 1.0) return ((kA + 2.0) * x - (kA + 3.0)) * x * x + 1;
      if (x < 2.0) return (((x - 5) * x + 8) * x - 4) * kA;
      return 0.0;
    }
    case ResizeFilter::lanczos:
      return -3.0 <= x && x < 3.0 ? sinc(x) * sinc(x / 3) : 0.0;
  }
  return 0.0;
}

double support_of(ResizeFilter filter) noexcept {
  switch (filter) {
    case ResizeFilter::nearest:
      break;
    case ResizeFilter::box:
      return 0.5;
    case ResizeFilter::bilinear:
    case ResizeFilter::hamming:
      return 1.0;
    case ResizeFilter::bicubic:
      return 2.0;
    case ResizeFilter::lanczos:
      return 3.0;
  }
  return 0.0;
}

double center_of(const ResizeAxis& axis, double scale, std::int64_t at) noexcept {
  return static_cast<double>(axis.first) + (static_cast<double>(at) + 0.5) * scale;
}

AxisSources sources_around(const ResizeAxis& axis, double center, double support) noexcept {
  const double begin = center - support + 0.5;  // rounded towards 0 below, as in Pillow
  const double behind = center + support + 0.5;
  const auto first = std::max<std::int64_t>(0, static_cast<std::int64_t>(begin));
  const auto end = std::min(axis.extent, static_cast<std::int64_t>(behind));
  return {first, end - first};
}

}  // namespace

AxisWeights weights_of(const ResizeAxis& axis, ResizeFilter filter, std::vector<std::int32_t>& room,
                       std::vector<double>& doubles) {
  const double scale = axis.scale();
  const double filter_scale = std::max(scale, 1.0);
  const double support = support_of(filter) * filter_scale;
  AxisWeights weights;
  weights.made = axis.made;
  weights.taps = static_cast<std::int64_t>(std::ceil(support)) * 2 + 1;
  const auto made = static_cast<std::size_t>(axis.made);
  const auto taps = static_cast<std::size_t>(weights.taps);
  room.assign(made * (2 + taps), 0);
  weights.bounds = std::span(room).first(2 * made);
  weights.values = std::span(room).subspan(2 * made);
  doubles.resize(taps);
  const double shrink = 1.0 / filter_scale;
  for (std::size_t at = 0; at < made; ++at) {
    const double center = center_of(axis, scale, static_cast<std::int64_t>(at));
    const AxisSources sources = sources_around(axis, center, support);
    double sum = 0;
    for (std::int64_t k = 0; k < sources.count; ++k) {
      const double weight =
          weight_at(filter, (static_cast<double>(k + sources.first) - center + 0.5) * shrink);
      doubles[static_cast<std::size_t>(k)] = weight;
      sum += weight;
    }
    weights.bounds[2 * at] = static_cast<std::int32_t>(sources.first);
    weights.bounds[2 * at + 1] = static_cast<std::int32_t>(sources.count);
    for (std::int64_t k = 0; k < sources.count; ++k) {
      double weight = doubles[static_cast<std::size_t>(k)];
      if (sum != 0.0) weight /= sum;
      const double half = weight < 0 ? -0.5 : 0.5;
      weights.values[at * taps + static_cast<std::size_t>(k)] =
          static_cast<std::int32_t>(half + weight * (1 << kWeightBits));
    }
  }
  return weights;
}

AxisSources sources_of(const ResizeAxis& axis, ResizeFilter filter) noexcept {
  if (filter == ResizeFilter::nearest) {
    AxisSources sources{.first = axis.extent};
    std::int64_t last = 0;
    visit_nearest(axis, [&](std::int64_t /*at*/, std::int64_t source) {
      sources.first = std::min(sources.first, source);
      last = source;
    });
    sources.count = last + 1 - sources.first;
    return sources;
  }
  if (!axis.changes()) return {0, axis.extent};
  const double scale = axis.scale();
  const double support = support_of(filter) * std::max(scale, 1.0);
  const AxisSources first = sources_around(axis, center_of(axis, scale, 0), support);
  const AxisSources last = sources_around(axis, center_of(axis, scale, axis.made - 1), support);
  return {first.first, last.first + last.count - first.first};
}

}  // namespace sheaf::internal
