// Numbers of CTF.

#pragma once

#include <cstdint>

namespace sheaf::ctf {

enum class NumberCode : std::uint8_t { ok, not_a_number, out_of_range };

struct NumberResult {
  const char* next;  // behind the number, in range or not; where it began if there is none
  NumberCode code;
};

/// Lex one number from the front of [first, last): float or double, correctly rounded.
///
/// Syntax: the `number` production of docs/formats/ctf.md. The caller looks at what follows.
/// Pre:    first < last.
/// Errors: not_a_number, out_of_range (finite text, no finite value); `value` is untouched then.
/// Cost:   one pass; no allocation, no locale, no exception.
template <typename T>
[[nodiscard]] NumberResult lex_number(const char* first, const char* last, T& value) noexcept;

extern template NumberResult lex_number(const char*, const char*, float&) noexcept;
extern template NumberResult lex_number(const char*, const char*, double&) noexcept;

}  // namespace sheaf::ctf
