/// \file
/// Draws normal numbers with the ziggurat method.

#pragma once

#include <cstdint>
#include <functional>

namespace sheaf::internal {

/// Returns a number of the normal distribution with mean 0 and deviation 1. `bits` returns 32
/// random bits. In 98 of 100 cases, one call suffices.
///
/// The numbers are those of boost::random::normal_distribution<float> with a 32-bit generator.
/// There are 128 layers. The lowest bit is the sign (1 is positive), the next 7 bits select the
/// layer, and the upper 24 bits the point in the layer. The tail uses exponential numbers, from a
/// ziggurat of 256 layers.
///
/// Source: Marsaglia and Tsang, The Ziggurat Method for Generating Random Variables, 2000.
[[nodiscard]] float ziggurat_normal(const std::function<std::uint32_t()>& bits);

}  // namespace sheaf::internal
