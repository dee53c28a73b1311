#include "image/resize_passes.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

#include "sheaf/extend/simd.h"

namespace sheaf::internal {
namespace {

std::uint8_t clipped(std::int32_t sum) noexcept {
  return static_cast<std::uint8_t>(std::clamp(sum >> kWeightBits, 0, 255));
}

template <int kChannels>
void resize_row(const std::uint8_t* from, const AxisWeights& weights, std::int64_t width,
                std::int64_t channels, std::uint8_t* to) noexcept {
  const std::int64_t count = kChannels > 0 ? kChannels : channels;
  const std::int32_t* values = weights.values.data();
  for (std::int64_t x = 0; x < width; ++x, values += weights.taps) {
    const std::int32_t first = weights.first(x);
    const std::int32_t taps = weights.count(x);
    const std::uint8_t* const pixel = from + first * count;
    if constexpr (kChannels == 3) {
      std::int32_t a = 1 << (kWeightBits - 1);
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
        std::int32_t sum = 1 << (kWeightBits - 1);
        for (std::int32_t k = 0; k < taps; ++k) sum += pixel[k * count + c] * values[k];
        *to++ = clipped(sum);
      }
    }
  }
}

}  // namespace

RowsPlan plan_rows(const AxisWeights& weights, std::int64_t from_width, std::int64_t channels,
                   ResizeMemory& memory) {
#if defined(__x86_64__)
  if (simd_level() >= SimdLevel::avx2) {
    return {.vector_pairs = plan_rows_avx2(weights, from_width, channels, memory)};
  }
#else
  static_cast<void>(weights);
  static_cast<void>(from_width);
  static_cast<void>(channels);
  static_cast<void>(memory);
#endif
  return {};
}

void resize_rows(const PixelView<const std::uint8_t>& from, std::int64_t first_row,
                 const AxisWeights& weights, const PixelView<std::uint8_t>& to,
                 ResizeMemory& memory) {
  const RowsPlan plan = plan_rows(weights, from.width, from.channels, memory);
  resize_rows(from, first_row, weights, plan, to, memory);
}

void resize_rows(const PixelView<const std::uint8_t>& from, std::int64_t first_row,
                 const AxisWeights& weights, const RowsPlan& plan,
                 const PixelView<std::uint8_t>& to, ResizeMemory& memory) {
  assert(weights.made == to.width && from.channels == to.channels);
#if defined(__x86_64__)
  if (plan.vector_pairs > 0) {
    return resize_rows_avx2(from, first_row, plan.vector_pairs, to, memory);
  }
#else
  static_cast<void>(plan);
  static_cast<void>(memory);
#endif
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

void resize_columns(const PixelView<const std::uint8_t>& from, std::int64_t first_row,
                    const AxisWeights& weights, const PixelView<std::uint8_t>& to,
                    ResizeMemory& memory) {
  assert(weights.made == to.height && from.channels == to.channels && from.width == to.width);
#if defined(__x86_64__)
  if (simd_level() >= SimdLevel::avx2 && resize_columns_avx2(from, first_row, weights, to)) {
    return;
  }
#endif
  const auto count = static_cast<std::size_t>(to.width * to.channels);
  std::vector<std::int32_t>& sums = memory.integer_sums;
  sums.resize(count);
  for (std::int64_t y = 0; y < to.height; ++y) {
    const std::int64_t first = weights.first(y) - first_row;
    std::fill(sums.begin(), sums.end(), 1 << (kWeightBits - 1));
    for (std::int32_t k = 0; k < weights.count(y); ++k) {
      const std::uint8_t* const row = from.row(first + k);
      const std::int32_t weight = weights.of(y)[k];
      for (std::size_t i = 0; i < count; ++i) sums[i] += row[i] * weight;
    }
    std::uint8_t* const out = to.row(y);
    for (std::size_t i = 0; i < count; ++i) out[i] = clipped(sums[i]);
  }
}

}  // namespace sheaf::internal
