/// \file
/// Converts decimal numbers to each type by comparing digits: slow, and surely right.

#pragma once

#include <cstdint>
#include <string>

#include "sheaf/types.h"

namespace sheaf::conformance {

enum class Fit { good, no_number, out_of_range, inexact };

/// Returns whether strtof() and strtod() cannot convert to the type: whole types, f16 and bf16.
bool is_digit_by_digit(ElementType type);

/// Sets `bits` to the value of `text`: an optional sign, digits with an optional point, and an
/// optional exponent. The result `inexact` means a whole number that f16 or bf16 cannot hold;
/// `bits` is then the nearest value.
///
/// Pre: is_digit_by_digit(type), and `text` is such a number.
Fit fit_number(const std::string& text, ElementType type, std::uint64_t& bits);

}  // namespace sheaf::conformance
