// Writes numbers as text with the fewest digits that read back as the same number.

#pragma once

#include <cstdint>

#include "sheaf/float16.h"

namespace sheaf {

/// The largest size of a number as text, in bytes.
inline constexpr int kNumberTextMax = 24;

/// The room that write_number() needs, in bytes. It may write to all of it.
inline constexpr int kNumberTextRoom = 40;

/// Writes the decimal number with the fewest digits that reads back as `value`, rounded to nearest,
/// ties to even. Among several such numbers, writes the nearest. Of two equally near ones, writes
/// the one with an even last digit. -0 is "-0". From 0.0001 to below 1e16 there is no exponent, and
/// an integer has all its digits. Other numbers are written as "1e-5" or "1.5e16".
///
/// Returns: the end of the number. There is no terminating zero.
/// Pre:     `value` is finite; there is room for kNumberTextRoom bytes.
/// Cost:    no allocation, no locale. Numbers beyond 1e16 and below 1e-11 (f32: 1e-19) take several
///          times as long as others.
char* write_number(char* out, float value) noexcept;
char* write_number(char* out, double value) noexcept;
char* write_number(char* out, Float16 value) noexcept;
char* write_number(char* out, BFloat16 value) noexcept;

/// Writes an integer.
///
/// Pre: as above.
char* write_number(char* out, std::uint64_t value) noexcept;
char* write_number(char* out, std::int64_t value) noexcept;

}  // namespace sheaf
