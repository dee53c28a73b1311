// The bins of a histogram of values: fixed, so that histograms of any data can be added.

#pragma once

#include <bit>
#include <cstdint>

#include "sheaf/types.h"

namespace sheaf::internal {

/// How many bins there are. A value of u8 has its own bin, and 16 values of u16 share one. Other
/// values have the bin of their sign, their exponent and the first 3 bits of their fraction as f32:
/// eight bins from 1 to 2, and eight from 2 to 4.
inline constexpr std::uint32_t kValueBins = 4096;

/// Returns the bin of a value of f32, which must be finite.
[[nodiscard]] inline std::uint32_t float_bin(float value) noexcept {
  return std::bit_cast<std::uint32_t>(value) >> 20;
}

/// The values of a bin: low <= value < high, or low < value <= high where both are negative.
struct ValueRange {
  double low = 0;
  double high = 0;
};

/// Returns the values of a bin of a stream with the element type `type`.
///
/// Pre: bin < kValueBins; `type` is not bytes.
[[nodiscard]] ValueRange range_of_bin(ElementType type, std::uint32_t bin) noexcept;

}  // namespace sheaf::internal
