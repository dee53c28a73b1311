/// \file
/// Decimal numbers as values of each type, by comparing digits: slow, and surely right.

#pragma once

#include <cstdint>
#include <string>

#include "sheaf/types.h"

namespace sheaf::conformance {

enum class Fit { good, no_number, out_of_range, inexact };

/// Whether the type has numbers that strtof() and strtod() do not give: whole types, f16 and bf16.
bool is_digit_by_digit(ElementType type);

/// Sets `bits` to those of the value of `text`, an optional sign, digits with a point or none, and
/// an exponent or none. `inexact`: a whole number that f16 or bf16 does not have; `bits` are those
/// of the nearest.
///
/// Pre: is_digit_by_digit(type), and `text` is such a number.
Fit fit_number(const std::string& text, ElementType type, std::uint64_t& bits);

}  // namespace sheaf::conformance
