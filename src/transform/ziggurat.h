/// \file
/// Normal numbers by the ziggurat method.

#pragma once

#include <cstdint>
#include <functional>

namespace sheaf::internal {

/// Returns a number of the normal distribution with mean 0 and deviation 1, made of numbers of 32
/// random bits: one of them in 98 of 100 cases.
///
/// The numbers are those of boost::random::normal_distribution<float> with a generator of 32 bits:
/// 128 layers, the lowest bit is the sign (1 is positive), the next 7 bits choose the layer, and
/// the upper 24 bits the place in the layer. The tail is made of exponential numbers, by a ziggurat
/// of 256 layers.
///
/// Source: Marsaglia and Tsang, The Ziggurat Method for Generating Random Variables, 2000.
[[nodiscard]] float ziggurat_normal(const std::function<std::uint32_t()>& bits);

}  // namespace sheaf::internal
