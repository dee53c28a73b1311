// Sums and products that saturate, for numbers that come from outside.

#pragma once

#include <cstdint>
#include <limits>

namespace sheaf::internal {

/// Returns a + b, or the largest number if the sum is larger.
///
/// Pre: a >= 0; b >= 0.
[[nodiscard]] constexpr std::int64_t saturated_sum(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
}

/// Returns a * b, or the largest number if the product is larger.
///
/// Pre: a >= 0; b >= 0.
[[nodiscard]] constexpr std::int64_t saturated_product(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::int64_t>::max()
                                                : product;
}

}  // namespace sheaf::internal
