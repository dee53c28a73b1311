/// \file
/// The sources and weights of a resize as Pillow does it.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "image/resize.h"

namespace sheaf::internal {

/// The fraction bits of a weight: 32 bits, less 8 for a value, and less 2 since weights may exceed
/// 1.
inline constexpr int kWeightBits = 22;

/// One axis of a resize. [0, extent) of the source is cut to [first, end) and becomes `made`
/// values.
struct ResizeAxis {
  std::int64_t extent = 0;
  float first = 0;  // floats, and so is their difference, as in Pillow
  float end = 0;
  std::int64_t made = 0;

  [[nodiscard]] double scale() const noexcept {
    return static_cast<double>(end - first) / static_cast<double>(made);
  }

  /// Returns whether the axis is resized.
  [[nodiscard]] bool changes() const noexcept {
    return made != extent || first != 0 || end != static_cast<float>(made);
  }
};

/// The sources of a value, which are consecutive.
struct AxisSources {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// The weights of all values along an axis, in fixed point with kWeightBits.
///
/// Lifetime: that of `room` in weights_of().
struct AxisWeights {
  std::int64_t made = 0;
  std::int64_t taps = 0;           // maximum number of taps of a value
  std::span<std::int32_t> bounds;  // [made][first, count]
  std::span<std::int32_t> values;  // [made][taps]

  [[nodiscard]] std::int32_t first(std::int64_t at) const noexcept {
    return bounds[static_cast<std::size_t>(2 * at)];
  }
  [[nodiscard]] std::int32_t count(std::int64_t at) const noexcept {
    return bounds[static_cast<std::size_t>(2 * at + 1)];
  }
  [[nodiscard]] const std::int32_t* of(std::int64_t at) const noexcept {
    return values.data() + at * taps;
  }
};

/// Computes the weights of a filter other than `nearest` in `room`.
[[nodiscard]] AxisWeights weights_of(const ResizeAxis& axis, ResizeFilter filter,
                                     std::vector<std::int32_t>& room, std::vector<double>& doubles);

/// Returns the range of sources that all values of an axis read.
[[nodiscard]] AxisSources sources_of(const ResizeAxis& axis, ResizeFilter filter) noexcept;

/// Calls visit(at, source) for the values along an axis with the filter `nearest`. Adds up the
/// steps as Pillow does.
template <typename Visit>
void visit_nearest(const ResizeAxis& axis, const Visit& visit) {
  const double scale = axis.scale();
  double center = static_cast<double>(axis.first) + scale * 0.5;
  for (std::int64_t at = 0; at < axis.made; ++at, center += scale) {
    const auto source = static_cast<std::int64_t>(center);
    visit(at, source < axis.extent - 1 ? source : axis.extent - 1);
  }
}

}  // namespace sheaf::internal
