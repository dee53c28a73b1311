// Encodes bytes in the standard alphabet of base64 (RFC 4648), with padding.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sheaf::internal {

/// The result of decode_base64().
struct DecodedBase64 {
  std::int64_t size_bytes = 0;  // of the decoded bytes, if the text is right
  // Offset of the first wrong character, or size of a text that is cut short; -1: none.
  std::int64_t wrong_at = -1;

  [[nodiscard]] bool is_right() const noexcept { return wrong_at < 0; }
};

/// Returns the largest number of bytes that a text of `text_size` characters encodes.
[[nodiscard]] constexpr std::int64_t base64_bytes_max(std::int64_t text_size) noexcept {
  return text_size / 4 * 3;
}

/// Decodes a whole text. The text consists of groups of four characters, and the last group may end
/// with "=" or "==". The unused bits before the padding may have any value. An empty text encodes
/// no bytes.
///
/// Pre: `to` has room for base64_bytes_max() bytes. If the text is wrong, they are unspecified.
/// Cost: one pass, without allocation.
[[nodiscard]] DecodedBase64 decode_base64(std::string_view text, std::byte* to) noexcept;

/// Appends the encoded bytes.
void append_base64(std::span<const std::byte> bytes, std::string& text);

/// Returns whether a character belongs to the alphabet, or is the padding.
[[nodiscard]] bool is_base64(char character) noexcept;

}  // namespace sheaf::internal
