// Copies bits, the lowest bit of a byte first.

#pragma once

#include <cstddef>
#include <cstdint>

namespace sheaf::arrow {

/// Copies `count` bits starting at bit `from_first` to the bits starting at `to_first`. Leaves all
/// other bits of `to` unchanged.
///
/// Pre: the bytes with these bits exist, and do not overlap.
void copy_bits(const std::byte* from, std::int64_t from_first, std::int64_t count, std::byte* to,
               std::int64_t to_first) noexcept;

/// Sets `count` bits starting at bit `first`.
void set_bits(std::byte* to, std::int64_t first, std::int64_t count) noexcept;

/// Returns the number of bytes that hold `count` bits.
[[nodiscard]] constexpr std::int64_t bytes_of_bits(std::int64_t count) noexcept {
  return count / 8 + (count % 8 != 0 ? 1 : 0);
}

}  // namespace sheaf::arrow
