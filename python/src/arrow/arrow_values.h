/// \file
/// What lies where in the buffers of Arrow arrays.

#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "arrow/arrow_interface.h"

namespace sheaf::python {

/// Elements of an array, from the one at its offset.
struct ArrowRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Whether any value may be missing.
[[nodiscard]] inline bool may_have_nulls(const ArrowArray& array) noexcept {
  return array.null_count != 0 && array.n_buffers > 0 && array.buffers[0] != nullptr;
}

/// Pre: may_have_nulls().
[[nodiscard]] inline bool is_null(const ArrowArray& array, std::int64_t i) noexcept {
  const auto bit = static_cast<std::uint64_t>(array.offset + i);
  const auto* const bits = static_cast<const std::uint8_t*>(array.buffers[0]);
  return ((bits[bit / 8] >> (bit % 8)) & 1U) == 0;
}

/// Whether one of these values is missing.
[[nodiscard]] inline bool has_null(const ArrowArray& array, const ArrowRange& range) noexcept {
  if (!may_have_nulls(array)) return false;
  for (std::int64_t i = range.begin; i < range.end; ++i) {
    if (is_null(array, i)) return true;
  }
  return false;
}

/// Where the item of a list, or of a text, lies.
[[nodiscard]] inline ArrowRange item_range(const ArrowArray& array, bool is_large,
                                           std::int64_t i) noexcept {
  const std::int64_t at = array.offset + i;
  if (is_large) {
    const auto* const offsets = static_cast<const std::int64_t*>(array.buffers[1]);
    return {offsets[at], offsets[at + 1]};
  }
  const auto* const offsets = static_cast<const std::int32_t*>(array.buffers[1]);
  return {offsets[at], offsets[at + 1]};
}

/// Whether a floating-point type has the whole number.
template <typename To, typename From>
[[nodiscard]] constexpr bool holds_exactly(From value) noexcept {
  constexpr int kBits = std::numeric_limits<To>::digits;
  if constexpr (std::numeric_limits<From>::digits <= kBits) {
    return true;
  } else {
    auto size = static_cast<std::uint64_t>(value);
    if (value < From{}) size = 0 - size;
    return size <= std::uint64_t{1} << kBits ||
           std::bit_width(size) - std::countr_zero(size) <= kBits;
  }
}

/// Call f with a value of the C++ type of a number's format.
///
/// Pre: is_number_format().
template <typename F>
void with_arrow_type(char format, F&& f) {
  switch (format) {
    case 'c':
      return f(std::int8_t{});
    case 'C':
      return f(std::uint8_t{});
    case 's':
      return f(std::int16_t{});
    case 'S':
      return f(std::uint16_t{});
    case 'i':
      return f(std::int32_t{});
    case 'I':
      return f(std::uint32_t{});
    case 'l':
      return f(std::int64_t{});
    case 'L':
      return f(std::uint64_t{});
    case 'f':
      return f(float{});
    default:
      return f(double{});
  }
}

}  // namespace sheaf::python
