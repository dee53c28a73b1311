// Converts numbers from one element type to another.

#pragma once

#include <cstddef>
#include <cstdint>

#include "sheaf/types.h"

#include "base/half.h"

namespace sheaf::internal {

/// Returns whether cast_elements() supports a conversion: any numbers to any numbers, and bytes to
/// bytes.
[[nodiscard]] bool can_cast(ElementType from, ElementType to) noexcept;

/// Returns whether a conversion rounds: from one floating-point type to another.
[[nodiscard]] bool casts_by_rounding(ElementType from, ElementType to) noexcept;

/// Converts `count` values. Between floating-point types, a number becomes the nearest number, ties
/// to even. A value that is too large becomes infinite, a value that is too small becomes denormal
/// or 0, and a NaN stays a NaN. If one of the types is whole, numbers must stay equal.
///
/// Returns: how many values are lost: finite values that became infinite and, if one of the types
///          is whole, numbers that the other type cannot hold. The results for such numbers are
///          unspecified.
/// Pre:     can_cast(from_type, to_type); `from` and `to` do not overlap. They need not be aligned.
std::int64_t cast_elements(ElementType from_type, const std::byte* from, ElementType to_type,
                           std::byte* to, std::int64_t count) noexcept;

/// Returns the number of the first value that cast_elements() loses, or `count` if none is lost.
///
/// Pre: can_cast(from_type, to_type).
[[nodiscard]] std::int64_t first_lost(ElementType from_type, const std::byte* from,
                                      ElementType to_type, std::int64_t count) noexcept;

/// Calls `visit` with a zero of the C++ type of `type`, and returns the result.
///
/// Pre: `type` is not bytes.
template <typename Visit>
decltype(auto) with_zero_of(ElementType type, const Visit& visit) {
  switch (type) {
    case ElementType::u8:
      return visit(std::uint8_t{0});
    case ElementType::u16:
      return visit(std::uint16_t{0});
    case ElementType::i32:
      return visit(std::int32_t{0});
    case ElementType::i64:
      return visit(std::int64_t{0});
    case ElementType::f16:
      return visit(Float16{});
    case ElementType::bf16:
      return visit(BFloat16{});
    case ElementType::f64:
      return visit(double{0});
    case ElementType::f32:
    case ElementType::bytes:
      break;
  }
  return visit(float{0});
}

}  // namespace sheaf::internal
