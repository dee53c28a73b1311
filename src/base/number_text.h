// Numbers as text: the fewest digits that read back the same.

#pragma once

#include <cstdint>

#include "sheaf/float16.h"

namespace sheaf {

/// The most bytes that a number takes.
inline constexpr int kNumberTextMax = 24;

/// The bytes that write_number() needs room for; it may write to all of them.
inline constexpr int kNumberTextRoom = 40;

/// Write the decimal number with the fewest digits that reads back as `value`, rounded to nearest,
/// ties to even; of several the nearest, of two as near the one with an even last digit. -0 is
/// "-0". From 0.0001 on and below 1e16 there is no exponent, and an integer has all its digits;
/// otherwise "1e-5", "1.5e16".
///
/// Returns: the end of the number; no 0 follows.
/// Pre:     `value` is finite; there is room for kNumberTextRoom bytes.
/// Cost:    no allocation, no locale. Beyond 1e16, below 1e-11 (f32: 1e-19), several times as much
///          as in between.
char* write_number(char* out, float value) noexcept;
char* write_number(char* out, double value) noexcept;
char* write_number(char* out, Float16 value) noexcept;
char* write_number(char* out, BFloat16 value) noexcept;

/// Write an integer.
///
/// Pre: as above.
char* write_number(char* out, std::uint64_t value) noexcept;
char* write_number(char* out, std::int64_t value) noexcept;

}  // namespace sheaf
