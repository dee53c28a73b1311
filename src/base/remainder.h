/// \file
/// Remainders by a constant divisor.

#pragma once

#include <cstdint>

namespace sheaf::internal {

/// Computes value % divisor with a multiplication.
class Remainder {
 public:
  /// Pre: divisor > 0.
  explicit Remainder(std::uint64_t divisor) noexcept
      : divisor_(divisor), reciprocal_(kMax / divisor) {}

  [[nodiscard]] std::uint64_t operator()(std::uint64_t value) const noexcept {
    // The reciprocal is too small by less than one part in 2^64. So the quotient is right or too
    // small by one.
    const auto quotient = static_cast<std::uint64_t>((Wide{value} * reciprocal_) >> 64U);
    const std::uint64_t rest = value - quotient * divisor_;
    return rest >= divisor_ ? rest - divisor_ : rest;
  }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr std::uint64_t kMax = ~std::uint64_t{0};

  std::uint64_t divisor_;
  std::uint64_t reciprocal_;
};

}  // namespace sheaf::internal
