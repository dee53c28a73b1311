#include "transform/ziggurat.h"

#include <array>
#include <cmath>
#include <cstddef>

#include "transform/fixed_math.h"

namespace sheaf::internal {
namespace {

/// Layers of equal area under a density that falls from 1 at 0. Layer i reaches from density
/// `heights[i]` up to `heights[i + 1]`, and has the width `widths[i]`. The part of layer i below
/// the width widths[i + 1] lies under the density. Layer 0 also stands for the tail.
template <std::size_t kLayers>
struct Ziggurat {
  std::array<double, kLayers + 1> widths{};
  std::array<double, kLayers + 1> heights{};
};

double normal_density(double x) noexcept { return fixed_exp(-0.5 * x * x); }
double normal_inverse(double density) noexcept { return std::sqrt(-2 * fixed_log(density)); }
double exponential_density(double x) noexcept { return fixed_exp(-x); }
double exponential_inverse(double density) noexcept { return -fixed_log(density); }

/// Computes the layers from the beginning of the tail and the area of a layer.
template <std::size_t kLayers>
Ziggurat<kLayers> layers(double tail, double area, double (*density)(double) noexcept,
                         double (*inverse)(double) noexcept) {
  Ziggurat<kLayers> made;
  made.widths[0] = area / density(tail);
  made.widths[1] = tail;
  made.heights[1] = density(tail);
  for (std::size_t i = 1; i + 1 < kLayers; ++i) {
    made.heights[i + 1] = made.heights[i] + area / made.widths[i];
    made.widths[i + 1] = inverse(made.heights[i + 1]);
  }
  made.heights[kLayers] = 1;
  return made;
}

// The beginning of the tail that gives all layers the same area, and this area: tail *
// density(tail), plus the area of the tail.
constexpr double kNormalTail = 3.4426198558966521214;
constexpr double kNormalArea = 0.0099125630353364610799;
constexpr double kExponentialTail = 7.6971174701310497140;
constexpr double kExponentialArea = 0.0039496598225815572201;

constexpr std::uint32_t kLayerMask = 0xFF;
constexpr unsigned kLayerBits = 8;

// Returns the upper 24 bits as a fraction of 1.
float part_of(std::uint32_t bits) noexcept {
  return static_cast<float>(bits >> kLayerBits) * 0x1p-24F;
}

// Returns a number in [0, 1).
float uniform(const std::function<std::uint32_t()>& bits) {
  for (;;) {
    const float value = static_cast<float>(bits()) * 0x1p-32F;
    if (value < 1) return value;
  }
}

/// Returns a height within layer i, given as a fraction between its borders.
template <std::size_t kLayers>
float height_in(const Ziggurat<kLayers>& ziggurat, std::size_t i, float part) noexcept {
  const auto step = static_cast<float>(ziggurat.heights[i + 1] - ziggurat.heights[i]);
  return static_cast<float>(ziggurat.heights[i]) + part * step;
}

float exponential(const std::function<std::uint32_t()>& bits) {
  constexpr std::size_t kLayers = 256;
  static const Ziggurat<kLayers> ziggurat =
      layers<kLayers>(kExponentialTail, kExponentialArea, exponential_density, exponential_inverse);
  float shift = 0;
  for (;;) {
    const std::uint32_t drawn = bits();
    const std::size_t i = drawn & kLayerMask;
    const float x = part_of(drawn) * static_cast<float>(ziggurat.widths[i]);
    if (x < static_cast<float>(ziggurat.widths[i + 1])) return shift + x;
    if (i == 0) {  // the tail has the form of the whole density
      shift += static_cast<float>(ziggurat.widths[1]);
      continue;
    }
    const float y = height_in(ziggurat, i, uniform(bits));
    if (y < static_cast<float>(fixed_exp(-static_cast<double>(x)))) return shift + x;
  }
}

float normal_tail(float begin, const std::function<std::uint32_t()>& bits) {
  for (;;) {
    const float x = exponential(bits) / begin;
    const float y = exponential(bits);
    if (2 * y > x * x) return x + begin;
  }
}

}  // namespace

float ziggurat_normal(const std::function<std::uint32_t()>& bits) {
  constexpr std::size_t kLayers = 128;
  static const Ziggurat<kLayers> ziggurat =
      layers<kLayers>(kNormalTail, kNormalArea, normal_density, normal_inverse);
  for (;;) {
    const std::uint32_t drawn = bits();
    const float sign = (drawn & 1) == 1 ? 1.0F : -1.0F;
    const std::size_t i = (drawn & kLayerMask) >> 1;
    const float x = part_of(drawn) * static_cast<float>(ziggurat.widths[i]);
    if (static_cast<double>(x) < ziggurat.widths[i + 1]) return sign * x;
    if (i == 0) return sign * normal_tail(static_cast<float>(ziggurat.widths[1]), bits);
    const float y = height_in(ziggurat, i, uniform(bits));
    const auto exponent = static_cast<double>(-(x * x) / 2);
    if (y < static_cast<float>(fixed_exp(exponent))) return sign * x;
  }
}

}  // namespace sheaf::internal
