// Resizing with the arithmetic of Pillow: weights in doubles, rounded to fixed point of 22 bits; a
// pass along the rows, then one along the columns.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "image/resize.h"

namespace sheaf::internal {
namespace {

constexpr int kBits = 22;  // 32 less 8 of a value, and 2 for what weights exceed 1

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
      constexpr double kMean = 0.54F;  // Pillow's two constants are floats
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

/// Where the values along one axis come from: [0, extent) of the source, cut to [first, end).
struct Axis {
  std::int64_t extent = 0;
  float first = 0;  // Pillow takes floats, and their difference as a float
  float end = 0;
  std::int64_t made = 0;

  [[nodiscard]] double scale() const noexcept {
    return static_cast<double>(end - first) / static_cast<double>(made);
  }

  /// Whether the axis is resized at all.
  [[nodiscard]] bool changes() const noexcept {
    return made != extent || first != 0 || end != static_cast<float>(made);
  }
};

/// The sources of one value: consecutive ones.
struct Sources {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

Sources sources_at(const Axis& axis, double support, std::int64_t at) noexcept {
  const double center =
      static_cast<double>(axis.first) + (static_cast<double>(at) + 0.5) * axis.scale();
  const double begin = center - support + 0.5;  // Pillow rounds to zero from here
  const double behind = center + support + 0.5;
  const auto first = std::max<std::int64_t>(0, static_cast<std::int64_t>(begin));
  const auto end = std::min(axis.extent, static_cast<std::int64_t>(behind));
  return {first, end - first};
}

/// The weights of all values along one axis.
struct Weights {
  std::int64_t taps = 0;           // the most that a value has
  std::span<std::int32_t> bounds;  // [made][first, count]
  std::span<std::int32_t> values;  // [made][taps]
};

Weights weights_of(const Axis& axis, ResizeFilter filter, std::vector<std::int32_t>& room,
                   std::vector<double>& doubles) {
  const double scale = axis.scale();
  const double filter_scale = std::max(scale, 1.0);
  const double support = support_of(filter) * filter_scale;
  Weights weights;
  weights.taps = static_cast<std::int64_t>(std::ceil(support)) * 2 + 1;
  const auto made = static_cast<std::size_t>(axis.made);
  const auto taps = static_cast<std::size_t>(weights.taps);
  room.assign(made * (2 + taps), 0);
  weights.bounds = std::span(room).first(2 * made);
  weights.values = std::span(room).subspan(2 * made);
  doubles.resize(taps);
  const double shrink = 1.0 / filter_scale;
  for (std::size_t at = 0; at < made; ++at) {
    const auto number = static_cast<std::int64_t>(at);
    const double center =
        static_cast<double>(axis.first) + (static_cast<double>(number) + 0.5) * scale;
    const Sources sources = sources_at(axis, support, number);
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
          static_cast<std::int32_t>(half + weight * (1 << kBits));
    }
  }
  return weights;
}

std::uint8_t clipped(std::int32_t sum) noexcept {
  return static_cast<std::uint8_t>(std::clamp(sum >> kBits, 0, 255));
}

template <int kChannels>
void resize_row(const std::uint8_t* from, const Weights& weights, std::int64_t width,
                std::int64_t channels, std::uint8_t* to) noexcept {
  const std::int64_t count = kChannels > 0 ? kChannels : channels;
  const std::int32_t* values = weights.values.data();
  for (std::int64_t x = 0; x < width; ++x, values += weights.taps) {
    const std::int32_t first = weights.bounds[static_cast<std::size_t>(2 * x)];
    const std::int32_t taps = weights.bounds[static_cast<std::size_t>(2 * x + 1)];
    const std::uint8_t* const pixel = from + first * count;
    if constexpr (kChannels == 3) {
      std::int32_t a = 1 << (kBits - 1);
      std::int32_t b = a;
      std::int32_t c = a;
      for (std::int64_t k = 0; k < taps; ++k) {
        a += pixel[3 * k] * values[k];
        b += pixel[3 * k + 1] * values[k];
        c += pixel[3 * k + 2] * values[k];
      }
      *to++ = clipped(a);
      *to++ = clipped(b);
      *to++ = clipped(c);
    } else {
      for (std::int64_t c = 0; c < count; ++c) {
        std::int32_t sum = 1 << (kBits - 1);
        for (std::int32_t k = 0; k < taps; ++k) sum += pixel[k * count + c] * values[k];
        *to++ = clipped(sum);
      }
    }
  }
}

void resize_rows(const PixelView<const std::uint8_t>& from, std::int64_t first_row,
                 const Weights& weights, const PixelView<std::uint8_t>& to) noexcept {
  for (std::int64_t y = 0; y < to.height; ++y) {
    const std::uint8_t* const row = from.row(first_row + y);
    if (to.channels == 3) {
      resize_row<3>(row, weights, to.width, 3, to.row(y));
    } else if (to.channels == 1) {
      resize_row<1>(row, weights, to.width, 1, to.row(y));
    } else {
      resize_row<0>(row, weights, to.width, to.channels, to.row(y));
    }
  }
}

// Row 0 of `from` is row `first_row` of the whole.
void resize_columns(const PixelView<const std::uint8_t>& from, std::int64_t first_row,
                    const Weights& weights, const PixelView<std::uint8_t>& to,
                    std::vector<std::int32_t>& sums) {
  const std::int64_t count = to.width * to.channels;
  sums.resize(static_cast<std::size_t>(count));
  for (std::int64_t y = 0; y < to.height; ++y) {
    const auto at = static_cast<std::size_t>(y);
    const std::int64_t first = weights.bounds[2 * at] - first_row;
    const std::int32_t taps = weights.bounds[2 * at + 1];
    const std::int32_t* const values = weights.values.data() + y * weights.taps;
    std::fill(sums.begin(), sums.end(), 1 << (kBits - 1));
    for (std::int32_t k = 0; k < taps; ++k) {
      const std::uint8_t* const row = from.row(first + k);
      const std::int32_t weight = values[k];
      for (std::int64_t i = 0; i < count; ++i) sums[static_cast<std::size_t>(i)] += row[i] * weight;
    }
    std::uint8_t* const out = to.row(y);
    for (std::int64_t i = 0; i < count; ++i) out[i] = clipped(sums[static_cast<std::size_t>(i)]);
  }
}

void copy(const PixelView<const std::uint8_t>& from, const PixelView<std::uint8_t>& to) noexcept {
  for (std::int64_t y = 0; y < to.height; ++y) {
    std::copy_n(from.row(y), to.width * to.channels, to.row(y));
  }
}

// Calls visit(at, source) for the values along an axis. Pillow adds the steps up.
template <typename Visit>
void visit_nearest(const Axis& axis, const Visit& visit) {
  const double scale = axis.scale();
  double place = static_cast<double>(axis.first) + scale * 0.5;
  for (std::int64_t at = 0; at < axis.made; ++at, place += scale) {
    visit(at, std::min(static_cast<std::int64_t>(place), axis.extent - 1));
  }
}

void resize_to_nearest(const PixelView<const std::uint8_t>& from, const Axis& columns,
                       const Axis& rows, const PixelView<std::uint8_t>& to,
                       std::vector<std::int32_t>& places) {
  places.resize(static_cast<std::size_t>(to.width));
  visit_nearest(columns, [&](std::int64_t x, std::int64_t source) {
    places[static_cast<std::size_t>(x)] = static_cast<std::int32_t>(source * from.channels);
  });
  visit_nearest(rows, [&](std::int64_t y, std::int64_t source) {
    const std::uint8_t* const row = from.row(source);
    std::uint8_t* out = to.row(y);
    for (const std::int32_t place : places) {
      for (std::int64_t c = 0; c < to.channels; ++c) *out++ = row[place + c];
    }
  });
}

Axis columns_of(std::int64_t width, const ResizeBox& box, std::int64_t made) noexcept {
  return {.extent = width,
          .first = static_cast<float>(box[0]),
          .end = static_cast<float>(box[2]),
          .made = made};
}
Axis rows_of(std::int64_t height, const ResizeBox& box, std::int64_t made) noexcept {
  return {.extent = height,
          .first = static_cast<float>(box[1]),
          .end = static_cast<float>(box[3]),
          .made = made};
}

// The sources that an axis reads, of all values together.
Sources all_sources(const Axis& axis, ResizeFilter filter) noexcept {
  if (filter == ResizeFilter::nearest) {
    Sources sources{.first = axis.extent};
    std::int64_t last = 0;
    visit_nearest(axis, [&](std::int64_t /*at*/, std::int64_t source) {
      sources.first = std::min(sources.first, source);
      last = source;
    });
    sources.count = last + 1 - sources.first;
    return sources;
  }
  if (!axis.changes()) return {0, axis.extent};
  const double support = support_of(filter) * std::max(axis.scale(), 1.0);
  const Sources first = sources_at(axis, support, 0);
  const Sources last = sources_at(axis, support, axis.made - 1);
  return {first.first, last.first + last.count - first.first};
}

}  // namespace

void resize_as_pillow(const PixelView<const std::uint8_t>& from, const ResizeBox& box,
                      const PixelView<std::uint8_t>& to, ResizeFilter filter,
                      ResizeMemory& memory) {
  const Axis columns = columns_of(from.width, box, to.width);
  const Axis rows = rows_of(from.height, box, to.height);
  if (filter == ResizeFilter::nearest) {
    resize_to_nearest(from, columns, rows, to, memory.integers);
    return;
  }
  if (!columns.changes() && !rows.changes()) {
    copy(from, to);
    return;
  }
  if (!rows.changes()) {
    const Weights weights = weights_of(columns, filter, memory.integers, memory.doubles);
    resize_rows(from, 0, weights, to);
    return;
  }
  PixelView<const std::uint8_t> narrow = from;
  std::int64_t first_row = 0;
  if (columns.changes()) {
    const Sources needed = all_sources(rows, filter);
    const std::int64_t count = to.width * to.channels;
    memory.bytes.resize(static_cast<std::size_t>(count * needed.count));
    const PixelView<std::uint8_t> made = {memory.bytes.data(), to.width, needed.count, to.channels,
                                          count};
    const Weights weights = weights_of(columns, filter, memory.integers, memory.doubles);
    resize_rows(from, needed.first, weights, made);
    narrow = {made.values, made.width, made.height, made.channels, made.row_stride};
    first_row = needed.first;
  }
  const Weights weights = weights_of(rows, filter, memory.integers, memory.doubles);
  resize_columns(narrow, first_row, weights, to, memory.integer_sums);
}

PixelRegion read_by_pillow(std::int64_t width, std::int64_t height, const ResizeBox& box,
                           std::int64_t to_width, std::int64_t to_height, ResizeFilter filter) {
  const Sources columns = all_sources(columns_of(width, box, to_width), filter);
  const Sources rows = all_sources(rows_of(height, box, to_height), filter);
  return {columns.first, rows.first, columns.count, rows.count};
}

}  // namespace sheaf::internal
