// The bins of a histogram of values. The bins are fixed, so that histograms of different data can
// be added.

#pragma once

#include <bit>
#include <cstdint>

#include "sheaf/types.h"

namespace sheaf::internal {

/// The number of bins. For u8, each value has its own bin. For u16, 16 values share a bin. Other
/// values go by the sign, the exponent and the first 3 bits of the fraction of their f32 value.
/// There are eight bins from 1 to 2, and eight from 2 to 4.
inline constexpr std::uint32_t kValueBins = 4096;

/// Returns the bin of an f32 value, which must be finite.
[[nodiscard]] inline std::uint32_t float_bin(float value) noexcept {
  return std::bit_cast<std::uint32_t>(value) >> 20;
}

/// The range of a bin: low <= value < high, or low < value <= high if both are negative.
struct ValueRange {
  double low = 0;
  double high = 0;
};

/// Returns the range of a bin for a stream of element type `type`.
///
/// Pre: bin < kValueBins; `type` is not bytes.
[[nodiscard]] ValueRange range_of_bin(ElementType type, std::uint32_t bin) noexcept;

}  // namespace sheaf::internal
