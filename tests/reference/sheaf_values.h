// Converts values of one element type to another, one at a time.

#pragma once

#include <cstdint>
#include <optional>

#include "sheaf/types.h"

namespace sheaf::conformance::container {

/// Returns the bits of a value as a value of another type. If either type is whole and the other
/// type cannot hold the value exactly, returns nothing. Between floating-point types, a value is
/// rounded to the nearest, ties to even, and may become infinite.
///
/// Pre: both types are types of numbers, or they are equal.
[[nodiscard]] std::optional<std::uint64_t> converted(std::uint64_t bits, ElementType from,
                                                     ElementType to);

}  // namespace sheaf::conformance::container
