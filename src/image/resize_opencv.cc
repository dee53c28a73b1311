// Resizes with the arithmetic of OpenCV 4.6: coefficients in floats, and for 8-bit images in fixed
// point with 11 bits; a horizontal pass, and then a vertical one. For the first values of a row,
// some sums have another order of terms, as OpenCV's vector instructions sum kLanes of them at a
// time.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <type_traits>
#include <vector>

#include "sheaf/extend/simd.h"

#include "image/opencv_linear.h"
#include "image/resize.h"

namespace sheaf::internal {
namespace {

constexpr int kBits = 11;
constexpr int kOne = 1 << kBits;
constexpr int kTapsMax = 8;

int tap_count(Interpolation interpolation) noexcept {
  switch (interpolation) {
    case Interpolation::nearest:
      return 1;
    case Interpolation::linear:
      return 2;
    case Interpolation::cubic:
      return 4;
    case Interpolation::lanczos:
      break;
  }
  return 8;
}

void cubic_weights(float x, float* weights) noexcept {
  constexpr float kA = -0.75F;
  weights[0] = ((kA * (x + 1) - 5 * kA) * (x + 1) + 8 * kA) * (x + 1) - 4 * kA;
  weights[1] = ((kA + 2) * x - (kA + 3)) * x * x + 1;
  weights[2] = ((kA + 2) * (1 - x) - (kA + 3)) * (1 - x) * (1 - x) + 1;
  weights[3] = 1.F - weights[0] - weights[1] - weights[2];
}

void lanczos_weights(float x, float* weights) noexcept {
  constexpr float kNear = 1e-6F;
  constexpr float kVeryLarge = 1e30F;
  constexpr double kRoot = 0.70710678118654752440084436210485;
  constexpr double kTurns[kTapsMax][2] = {{1, 0},  {-kRoot, -kRoot}, {0, 1},  {kRoot, -kRoot},
                                          {-1, 0}, {kRoot, kRoot},   {0, -1}, {-kRoot, kRoot}};
  const double angle = -static_cast<double>(x + 3) * std::numbers::pi * 0.25;
  const double sine = std::sin(angle);
  const double cosine = std::cos(angle);
  float sum = 0;
  for (int i = 0; i < kTapsMax; ++i) {
    const float distance = x + 3 - static_cast<float>(i);
    const double y = -static_cast<double>(distance) * std::numbers::pi * 0.25;
    weights[i] = std::fabs(distance) < kNear
                     ? kVeryLarge  // all other weights become 0
                     : static_cast<float>((kTurns[i][0] * sine + kTurns[i][1] * cosine) / (y * y));
    sum += weights[i];
  }
  sum = 1.F / sum;
  for (int i = 0; i < kTapsMax; ++i) weights[i] *= sum;
}

/// The sources of a value along an axis.
struct Tap {
  std::int64_t first = 0;  // source of weights[0]; may lie outside of the image
  std::array<float, kTapsMax> weights = {};
};

Tap tap_at(std::int64_t at, double scale, Interpolation interpolation) noexcept {
  const auto entry = static_cast<float>((static_cast<double>(at) + 0.5) * scale - 0.5);
  const auto whole = static_cast<std::int64_t>(std::floor(entry));
  const float part = entry - static_cast<float>(whole);
  Tap tap;
  switch (interpolation) {
    case Interpolation::nearest:
      break;
    case Interpolation::linear:
      tap.first = whole;
      tap.weights[0] = 1.F - part;
      tap.weights[1] = part;
      break;
    case Interpolation::cubic:
      tap.first = whole - 1;
      cubic_weights(part, tap.weights.data());
      break;
    case Interpolation::lanczos:
      tap.first = whole - 3;
      lanczos_weights(part, tap.weights.data());
      break;
  }
  return tap;
}

/// The types of the arithmetic for a type of pixels.
template <typename T>
struct Arithmetic {
  using Weight = float;  // as in OpenCV, even for doubles
  static Weight weight(float value) noexcept { return value; }
};
template <>
struct Arithmetic<std::uint8_t> {
  using Weight = std::int32_t;
  static Weight weight(float value) noexcept {
    return static_cast<std::int32_t>(std::lrint(value * static_cast<float>(kOne)));
  }
};

/// The result of the horizontal pass: sums, in fixed point for 8-bit images. Sums of two taps drop
/// their lowest bits, so that they fit 16 bits.
template <int kTaps, typename T>
struct RowSum {
  using Type = T;
  static Type of(T sum) noexcept { return sum; }
};
template <int kTaps>
struct RowSum<kTaps, std::uint8_t> {
  using Type = std::int32_t;
  static Type of(std::int32_t sum) noexcept { return sum; }
};
template <>
struct RowSum<2, std::uint8_t> {
  using Type = std::int16_t;
  static Type of(std::int32_t sum) noexcept { return static_cast<std::int16_t>(sum >> 4); }
};

/// The taps of a row of the result: [value][tap]. Sources outside of the image are moved to its
/// edge.
template <typename T>
struct RowTaps {
  std::int32_t* offsets = nullptr;  // of the first channel, in values
  typename Arithmetic<T>::Weight* weights = nullptr;
};

template <typename T>
RowTaps<T> row_taps(std::int64_t from_width, std::int64_t to_width, std::int64_t channels,
                    Interpolation interpolation, ResizeMemory& memory) {
  const int taps = tap_count(interpolation);
  const auto count = static_cast<std::size_t>(to_width * taps);
  memory.integers.resize(2 * count);
  RowTaps<T> all{.offsets = memory.integers.data()};
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    all.weights = memory.integers.data() + count;
  } else {
    memory.floats.resize(count);
    all.weights = memory.floats.data();
  }
  const double scale = 1.0 / (static_cast<double>(to_width) / static_cast<double>(from_width));
  for (std::int64_t x = 0; x < to_width; ++x) {
    Tap tap = tap_at(x, scale, interpolation);
    if (interpolation == Interpolation::linear && (tap.first < 0 || tap.first >= from_width - 1)) {
      tap.first = tap.first < 0 ? 0 : from_width - 1;
      tap.weights[0] = 1;
      tap.weights[1] = 0;
    }
    for (int k = 0; k < taps; ++k) {
      const std::int64_t source = std::clamp<std::int64_t>(tap.first + k, 0, from_width - 1);
      all.offsets[x * taps + k] = static_cast<std::int32_t>(source * channels);
      all.weights[x * taps + k] = Arithmetic<T>::weight(tap.weights[static_cast<std::size_t>(k)]);
    }
  }
  return all;
}

// For common images, the number of channels is a constant, so that the compiler removes the loop
// over channels.
template <int kTaps, int kChannels, typename T>
void resize_row(const T* from, const RowTaps<T>& taps, std::int64_t width, std::int64_t channels,
                typename RowSum<kTaps, T>::Type* to) noexcept {
  using Sum = std::conditional_t<std::is_same_v<T, std::uint8_t>, std::int32_t, T>;
  const std::int64_t count = kChannels > 0 ? kChannels : channels;
  for (std::int64_t x = 0; x < width; ++x) {
    const std::int32_t* const offsets = taps.offsets + x * kTaps;
    const auto* const weights = taps.weights + x * kTaps;
    for (std::int64_t c = 0; c < count; ++c) {
      auto sum = static_cast<Sum>(static_cast<Sum>(from[offsets[0] + c]) * weights[0]);
      for (int k = 1; k < kTaps; ++k) sum += static_cast<Sum>(from[offsets[k] + c]) * weights[k];
      *to++ = RowSum<kTaps, T>::of(sum);
    }
  }
}

template <int kTaps, typename T>
void resize_row(const T* from, const RowTaps<T>& taps, std::int64_t width, std::int64_t channels,
                typename RowSum<kTaps, T>::Type* to) noexcept {
  if (channels == 3) {
    resize_row<kTaps, 3>(from, taps, width, channels, to);
  } else if (channels == 1) {
    resize_row<kTaps, 1>(from, taps, width, channels, to);
  } else {
    resize_row<kTaps, 0>(from, taps, width, channels, to);
  }
}

std::uint8_t clipped(std::int32_t value) noexcept {
  return static_cast<std::uint8_t>(std::clamp(value, 0, 255));
}

// Computes sums of two rows.
void sum_rows(const std::array<const std::int16_t*, kTapsMax>& rows,
              const std::array<float, kTapsMax>& tap, std::int64_t count,
              std::uint8_t* to) noexcept {
  const auto weight = [&](std::size_t k) {
    return static_cast<std::int16_t>(Arithmetic<std::uint8_t>::weight(tap[k]));
  };
  const std::int16_t above = weight(0);
  const std::int16_t below = weight(1);
  const std::int16_t* const a = rows[0];
  const std::int16_t* const b = rows[1];
  for (std::int64_t i = 0; i < count; ++i) {
    const auto high_of_a = static_cast<std::int16_t>((a[i] * above) >> 16);
    const auto high_of_b = static_cast<std::int16_t>((b[i] * below) >> 16);
    to[i] = clipped((high_of_a + high_of_b + 2) >> 2);
  }
}

// Computes sums of four or eight rows.
template <int kTaps>
void sum_rows(const std::array<const std::int32_t*, kTapsMax>& rows,
              const std::array<float, kTapsMax>& tap, std::int64_t count,
              std::uint8_t* to) noexcept {
  std::array<std::int32_t, static_cast<std::size_t>(kTaps)> weights{};
  for (std::size_t k = 0; k < kTaps; ++k) {
    weights[k] = Arithmetic<std::uint8_t>::weight(tap[k]);
  }
  std::int64_t i = 0;
  if constexpr (kTaps == 4) {
    constexpr std::int64_t kLanes = 8;
    constexpr float kScale = 1.F / (static_cast<float>(kOne) * static_cast<float>(kOne));
    std::array<float, 4> floats{};
    for (std::size_t k = 0; k < 4; ++k) floats[k] = static_cast<float>(weights[k]) * kScale;
    for (; i < count - count % kLanes; ++i) {
      float sum = static_cast<float>(rows[3][i]) * floats[3];
      sum = static_cast<float>(rows[2][i]) * floats[2] + sum;
      sum = static_cast<float>(rows[1][i]) * floats[1] + sum;
      sum = static_cast<float>(rows[0][i]) * floats[0] + sum;
      to[i] = clipped(static_cast<std::int32_t>(std::nearbyint(sum)));
    }
  }
  for (; i < count; ++i) {
    std::int32_t sum = 1 << (2 * kBits - 1);
    for (std::size_t k = 0; k < kTaps; ++k) sum += rows[k][i] * weights[k];
    to[i] = clipped(sum >> (2 * kBits));
  }
}

template <int kTaps, typename T>
void sum_rows(const std::array<const T*, kTapsMax>& rows, const std::array<float, kTapsMax>& tap,
              std::int64_t count, T* to) noexcept {
  constexpr std::int64_t kLanes = 4;
  std::int64_t i = 0;
  if constexpr (std::is_same_v<T, float>) {
    for (; i < count - count % kLanes; ++i) {
      float sum = rows[kTaps - 1][i] * tap[kTaps - 1];
      for (int k = kTaps - 2; k >= 0; --k) {
        const auto at = static_cast<std::size_t>(k);
        sum = rows[at][i] * tap[at] + sum;
      }
      to[i] = sum;
    }
  }
  for (; i < count; ++i) {
    T sum = rows[0][i] * tap[0];
    for (std::size_t k = 1; k < kTaps; ++k) sum += rows[k][i] * tap[k];
    to[i] = sum;
  }
}

#if defined(__x86_64__)
std::int16_t short_weight(float weight) noexcept {
  return static_cast<std::int16_t>(Arithmetic<std::uint8_t>::weight(weight));
}

// Computes the sources and weights of an axis. If one source lies outside of the image, a column
// uses only the other source, and a row uses the source at the edge twice.
void fill_linear_taps(std::int64_t from_extent, std::int64_t to_extent, bool has_columns,
                      std::vector<LinearTap>& taps) {
  taps.resize(static_cast<std::size_t>(to_extent));
  const double scale = 1.0 / (static_cast<double>(to_extent) / static_cast<double>(from_extent));
  const std::int64_t last = from_extent - 1;
  for (std::int64_t at = 0; at < to_extent; ++at) {
    const Tap tap = tap_at(at, scale, Interpolation::linear);
    LinearTap& made = taps[static_cast<std::size_t>(at)];
    made.first = static_cast<std::int32_t>(std::clamp<std::int64_t>(tap.first, 0, last));
    made.second = static_cast<std::int32_t>(std::clamp<std::int64_t>(tap.first + 1, 0, last));
    const bool is_edge = has_columns && (tap.first < 0 || tap.first >= last);
    made.first_weight = short_weight(is_edge ? 1 : tap.weights[0]);
    made.second_weight = short_weight(is_edge ? 0 : tap.weights[1]);
  }
}
#endif

template <int kTaps, typename T>
auto& sums_of(ResizeMemory& memory) noexcept {
  if constexpr (kTaps == 2 && std::is_same_v<T, std::uint8_t>) {
    return memory.short_sums;
  } else if constexpr (std::is_same_v<T, double>) {
    return memory.doubles;
  } else if constexpr (std::is_same_v<T, float>) {
    return memory.sums;
  } else {
    return memory.integer_sums;
  }
}

template <int kTaps, typename T>
void resize_by_taps(const PixelView<const T>& from, const PixelView<T>& to,
                    Interpolation interpolation, ResizeMemory& memory) {
  using Sum = typename RowSum<kTaps, T>::Type;
#if defined(__x86_64__)
  if constexpr (kTaps == 2 && std::is_same_v<T, std::uint8_t>) {
    if (simd_level() >= SimdLevel::avx2) {
      fill_linear_taps(from.width, to.width, true, memory.columns);
      fill_linear_taps(from.height, to.height, false, memory.rows);
      if (resize_linear_avx2(from, memory.columns, memory.rows, to, memory)) return;
    }
  }
#endif
  const RowTaps<T> taps = row_taps<T>(from.width, to.width, from.channels, interpolation, memory);
  const std::int64_t count = to.width * to.channels;
  auto& sums = sums_of<kTaps, T>(memory);
  sums.resize(static_cast<std::size_t>(count * kTaps));
  std::array<std::int64_t, static_cast<std::size_t>(kTaps)>
      held{};  // the row of `from` that each row of sums belongs to
  held.fill(-1);
  const double scale = 1.0 / (static_cast<double>(to.height) / static_cast<double>(from.height));
  for (std::int64_t y = 0; y < to.height; ++y) {
    const Tap tap = tap_at(y, scale, interpolation);
    std::array<const Sum*, kTapsMax> rows{};
    for (int k = 0; k < kTaps; ++k) {
      const std::int64_t source = std::clamp<std::int64_t>(tap.first + k, 0, from.height - 1);
      const std::int64_t index = source % kTaps;
      Sum* const row = sums.data() + index * count;
      if (held[static_cast<std::size_t>(index)] != source) {
        resize_row<kTaps>(from.row(source), taps, to.width, to.channels, row);
        held[static_cast<std::size_t>(index)] = source;
      }
      rows[static_cast<std::size_t>(k)] = row;
    }
    if constexpr (kTaps == 2 && std::is_same_v<T, std::uint8_t>) {
      sum_rows(rows, tap.weights, count, to.row(y));
    } else {
      sum_rows<kTaps>(rows, tap.weights, count, to.row(y));
    }
  }
}

template <typename T>
void resize_to_nearest(const PixelView<const T>& from, const PixelView<T>& to,
                       ResizeMemory& memory) {
  const double scale_x = 1.0 / (static_cast<double>(to.width) / static_cast<double>(from.width));
  const double scale_y = 1.0 / (static_cast<double>(to.height) / static_cast<double>(from.height));
  const auto source = [](std::int64_t at, double scale, std::int64_t extent) {
    const auto entry = static_cast<std::int64_t>(std::floor(static_cast<double>(at) * scale));
    return std::min(entry, extent - 1);
  };
  memory.integers.resize(static_cast<std::size_t>(to.width));
  for (std::int64_t x = 0; x < to.width; ++x) {
    memory.integers[static_cast<std::size_t>(x)] =
        static_cast<std::int32_t>(source(x, scale_x, from.width) * from.channels);
  }
  for (std::int64_t y = 0; y < to.height; ++y) {
    const T* const row = from.row(source(y, scale_y, from.height));
    T* out = to.row(y);
    for (std::int64_t x = 0; x < to.width; ++x) {
      const T* const pixel = row + memory.integers[static_cast<std::size_t>(x)];
      for (std::int64_t c = 0; c < to.channels; ++c) *out++ = pixel[c];
    }
  }
}

// If both extents are halved, OpenCV takes the mean of four pixels.
template <typename T>
void halve(const PixelView<const T>& from, const PixelView<T>& to) noexcept {
  const std::int64_t channels = to.channels;
  // The order of the sum matters only for floats.
  const auto adds_pairs = [&](std::int64_t x) {
    constexpr std::int64_t kLanes = 4;
    if (!std::is_same_v<T, float>) return false;
    return channels == 4 || (channels == 1 && x < to.width - to.width % kLanes);
  };
  for (std::int64_t y = 0; y < to.height; ++y) {
    const T* const above = from.row(2 * y);
    const T* const below = from.row(2 * y + 1);
    T* out = to.row(y);
    for (std::int64_t x = 0; x < to.width; ++x) {
      for (std::int64_t c = 0; c < channels; ++c) {
        const std::int64_t at = 2 * x * channels + c;
        if constexpr (std::is_same_v<T, std::uint8_t>) {
          const int sum = above[at] + above[at + channels] + below[at] + below[at + channels];
          *out++ = static_cast<T>((sum + 2) >> 2);
        } else {
          const T sum =
              adds_pairs(x)
                  ? (above[at] + above[at + channels]) + (below[at] + below[at + channels])
                  : above[at] + above[at + channels] + below[at] + below[at + channels];
          *out++ = sum * static_cast<T>(0.25);
        }
      }
    }
  }
}

template <typename T>
void resize(const PixelView<const T>& from, const PixelView<T>& to, Interpolation interpolation,
            ResizeMemory& memory) {
  if (from.width == to.width && from.height == to.height) {
    const auto bytes = static_cast<std::size_t>(to.width * to.channels) * sizeof(T);
    for (std::int64_t y = 0; y < to.height; ++y) std::memcpy(to.row(y), from.row(y), bytes);
    return;
  }
  switch (interpolation) {
    case Interpolation::nearest:
      resize_to_nearest(from, to, memory);
      return;
    case Interpolation::linear:
      if (from.width == 2 * to.width && from.height == 2 * to.height) {
        halve(from, to);
      } else {
        resize_by_taps<2>(from, to, interpolation, memory);
      }
      return;
    case Interpolation::cubic:
      resize_by_taps<4>(from, to, interpolation, memory);
      return;
    case Interpolation::lanczos:
      resize_by_taps<8>(from, to, interpolation, memory);
      return;
  }
}

}  // namespace

void resize_as_opencv(const PixelView<const std::uint8_t>& from, const PixelView<std::uint8_t>& to,
                      Interpolation interpolation, ResizeMemory& memory) {
  resize(from, to, interpolation, memory);
}

void resize_as_opencv(const PixelView<const float>& from, const PixelView<float>& to,
                      Interpolation interpolation, ResizeMemory& memory) {
  resize(from, to, interpolation, memory);
}

void resize_as_opencv(const PixelView<const double>& from, const PixelView<double>& to,
                      Interpolation interpolation, ResizeMemory& memory) {
  resize(from, to, interpolation, memory);
}

}  // namespace sheaf::internal
