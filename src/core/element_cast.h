// From f64 to f32 and back.

#pragma once

#include <cstddef>
#include <cstdint>

#include "sheaf/types.h"

namespace sheaf::internal {

/// Whether cast_elements() can make the one of the other: f32 and f64 both ways, and any type of
/// itself.
[[nodiscard]] bool can_cast(ElementType from, ElementType to) noexcept;

/// Convert `count` values. f32 becomes f64 exactly. f64 becomes the nearest f32, ties to even; what
/// is too large becomes infinite, what is too small a denormal value or 0. A NaN stays one.
///
/// Returns: how many finite values became infinite.
/// Pre:     can_cast(from_type, to_type); the two do not overlap. Neither needs to be aligned.
std::int64_t cast_elements(ElementType from_type, const std::byte* from, ElementType to_type,
                           std::byte* to, std::int64_t count) noexcept;

}  // namespace sheaf::internal
