// Reads the numbers of a list of JSON.

#pragma once

#include <cstdint>

#include "base/half.h"
#include "format/text/field_kernels.h"

namespace sheaf::internal {

/// Reads a number by the grammar of JSON. T is one of the types of lex_number().
///
/// Pre:     some byte from `p` on cannot belong to a number; 24 bytes after it may be read.
/// Returns: the end of the number. Null if there is no number, or if lex_number() refuses the
///          number. Then `value` is undefined.
template <typename T>
[[nodiscard]] const char* read_json_number(const char* p, T& value) noexcept;

/// Reads a list of numbers, one after the other. `p` is the byte after "[".
///
/// Pre:     as above; the text ends with a byte that cannot belong to a list of numbers.
/// Returns: the byte after "]". Null if read_json_number() refuses an element, if the list has more
///          than field.limit elements, or if it has other bytes than numbers, commas and blanks.
///          The values at the destination are then undefined, and field.count is the number of
///          elements before the error.
template <typename T>
[[nodiscard]] const char* read_number_list(const char* p, ValueField<T>& field) noexcept;

// NOLINTBEGIN(bugprone-macro-parentheses): T is a type.
#define SHEAF_NUMBER_LIST(T)                                              \
  extern template const char* read_json_number(const char*, T&) noexcept; \
  extern template const char* read_number_list(const char*, ValueField<T>&) noexcept
// NOLINTEND(bugprone-macro-parentheses)
SHEAF_NUMBER_LIST(float);
SHEAF_NUMBER_LIST(double);
SHEAF_NUMBER_LIST(Float16);
SHEAF_NUMBER_LIST(BFloat16);
SHEAF_NUMBER_LIST(std::uint8_t);
SHEAF_NUMBER_LIST(std::uint16_t);
SHEAF_NUMBER_LIST(std::int32_t);
SHEAF_NUMBER_LIST(std::int64_t);
#undef SHEAF_NUMBER_LIST

}  // namespace sheaf::internal
