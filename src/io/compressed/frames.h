// What the frames of zstd and lz4 have in common.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sheaf::internal {

/// Returns a number of which the low bytes come first.
///
/// Pre: at most 4 bytes.
[[nodiscard]] inline std::uint32_t number_of(std::span<const std::byte> bytes) noexcept {
  std::uint32_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    number = (number << 8U) | std::to_integer<std::uint32_t>(bytes[i]);
  }
  return number;
}

/// Returns whether a magic number is that of a frame of which decompressors take no notice. Its
/// size, without these 4 bytes and itself, follows in 4 bytes.
[[nodiscard]] inline bool is_skippable_frame(std::uint32_t magic) noexcept {
  return (magic & ~0xFU) == 0x184D2A50;
}

}  // namespace sheaf::internal
