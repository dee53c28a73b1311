// Values of one element type as values of another, one at a time.

#pragma once

#include <cstdint>
#include <optional>

#include "sheaf/types.h"

namespace sheaf::conformance::container {

/// Returns the bits of a value as a value of another type; nothing where a whole number is on one
/// side and the other type does not hold the value exactly. Between types of numbers with a
/// fraction a value is rounded to the nearest one, ties to even, and may become infinite.
///
/// Pre: both types are of numbers, or they are equal.
[[nodiscard]] std::optional<std::uint64_t> converted(std::uint64_t bits, ElementType from,
                                                     ElementType to);

}  // namespace sheaf::conformance::container
