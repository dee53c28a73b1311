/// \file
/// Where the values of an image come from that is resized as Pillow does.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "image/resize.h"

namespace sheaf::internal {

/// The bits behind the point of a weight: 32 less 8 of a value, and 2 for what weights exceed 1.
inline constexpr int kWeightBits = 22;

/// One axis of a resize: [0, extent) of the source, cut to [first, end), becomes `made` values.
struct ResizeAxis {
  std::int64_t extent = 0;
  float first = 0;  // Pillow takes floats, and their difference as a float
  float end = 0;
  std::int64_t made = 0;

  [[nodiscard]] double scale() const noexcept {
    return static_cast<double>(end - first) / static_cast<double>(made);
  }

  /// Returns whether the axis is resized at all.
  [[nodiscard]] bool changes() const noexcept {
    return made != extent || first != 0 || end != static_cast<float>(made);
  }
};

/// The sources of one value: consecutive ones.
struct AxisSources {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// The weights of all values along one axis, in fixed point of kWeightBits.
///
/// Lifetime: that of the room they are in.
struct AxisWeights {
  std::int64_t made = 0;
  std::int64_t taps = 0;           // the most that a value may have
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

/// Returns the weights of a filter other than `nearest`, put into `room`.
[[nodiscard]] AxisWeights weights_of(const ResizeAxis& axis, ResizeFilter filter,
                                     std::vector<std::int32_t>& room, std::vector<double>& doubles);

/// Returns the sources that the values of an axis read, of all values together.
[[nodiscard]] AxisSources sources_of(const ResizeAxis& axis, ResizeFilter filter) noexcept;

/// Calls visit(at, source) for the values along an axis of the filter `nearest`. Pillow adds the
/// steps up.
template <typename Visit>
void visit_nearest(const ResizeAxis& axis, const Visit& visit) {
  const double scale = axis.scale();
  double place = static_cast<double>(axis.first) + scale * 0.5;
  for (std::int64_t at = 0; at < axis.made; ++at, place += scale) {
    const auto source = static_cast<std::int64_t>(place);
    visit(at, source < axis.extent - 1 ? source : axis.extent - 1);
  }
}

}  // namespace sheaf::internal
