#include "ops/report/value_bins.h"

#include <limits>

namespace sheaf::internal {

ValueRange range_of_bin(ElementType type, std::uint32_t bin) noexcept {
  if (type == ElementType::u8) return {static_cast<double>(bin), static_cast<double>(bin) + 1};
  if (type == ElementType::u16) {
    return {static_cast<double>(bin) * 16, static_cast<double>(bin) * 16 + 16};
  }
  constexpr std::uint32_t kNegative = kValueBins / 2;
  constexpr std::uint32_t kLastFinite = 0x7F7;  // below the bins of infinity and NaN
  const std::uint32_t size = bin % kNegative;
  const double low = std::bit_cast<float>(size << 20);
  const double high = size < kLastFinite
                          ? static_cast<double>(std::bit_cast<float>((size + 1) << 20))
                          : static_cast<double>(std::numeric_limits<float>::max());
  return bin < kNegative ? ValueRange{low, high} : ValueRange{-high, -low};
}

}  // namespace sheaf::internal
