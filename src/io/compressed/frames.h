// The common parts of zstd and lz4 frames.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sheaf::internal {

/// Returns a little-endian number.
///
/// Pre: `bytes` has at most 4 bytes.
[[nodiscard]] inline std::uint32_t number_of(std::span<const std::byte> bytes) noexcept {
  std::uint32_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    number = (number << 8U) | std::to_integer<std::uint32_t>(bytes[i]);
  }
  return number;
}

/// Returns whether a magic number is that of a skippable frame, which decompressors ignore. The
/// magic number is followed by 4 bytes with the size of the rest of the frame.
[[nodiscard]] inline bool is_skippable_frame(std::uint32_t magic) noexcept {
  return (magic & ~0xFU) == 0x184D2A50;
}

}  // namespace sheaf::internal
