// From numbers of one type to numbers of another.

#pragma once

#include <cstddef>
#include <cstdint>

#include "sheaf/types.h"

#include "base/half.h"

namespace sheaf::internal {

/// Whether cast_elements() can make the one of the other: any numbers of any numbers, and bytes of
/// bytes.
[[nodiscard]] bool can_cast(ElementType from, ElementType to) noexcept;

/// Whether values keep their fraction, but may lose digits: from one floating-point type to
/// another.
[[nodiscard]] bool casts_by_rounding(ElementType from, ElementType to) noexcept;

/// Convert `count` values. A floating-point number becomes the nearest one of another such type,
/// ties to even; a value that is too large becomes infinite, one that is too small a denormal value
/// or 0, and a NaN stays one. Where one of the types is whole, a number becomes the same number.
///
/// Returns: how many values are lost: finite ones that became infinite, and numbers that a whole
///          type, or the type made of a whole one, does not hold. What stands in place of those of
///          whole numbers is unspecified.
/// Pre:     can_cast(from_type, to_type); the two do not overlap. Neither needs to be aligned.
std::int64_t cast_elements(ElementType from_type, const std::byte* from, ElementType to_type,
                           std::byte* to, std::int64_t count) noexcept;

/// Returns the number of the first value that cast_elements() loses; `count` where it loses none.
///
/// Pre: can_cast(from_type, to_type).
[[nodiscard]] std::int64_t first_lost(ElementType from_type, const std::byte* from,
                                      ElementType to_type, std::int64_t count) noexcept;

/// Calls `visit` with a zero of the C++ type of `type`, and returns what it returns.
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
