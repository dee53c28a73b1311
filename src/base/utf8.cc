#include "base/utf8.h"

namespace sheaf::internal {

std::size_t utf8_size(std::string_view bytes) noexcept {
  if (bytes.empty()) return 0;
  const auto byte = [bytes](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const std::size_t size = byte(0) < 0x80                       ? 1
                           : byte(0) >= 0xC2 && byte(0) < 0xE0  ? 2
                           : byte(0) >= 0xE0 && byte(0) < 0xF0  ? 3
                           : byte(0) >= 0xF0 && byte(0) <= 0xF4 ? 4
                                                                : 0;
  if (size == 0 || size > bytes.size()) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  if (size > 1) {
    // Refuses overlong forms, surrogates, and values beyond the last code point.
    const unsigned second = byte(1);
    if (byte(0) == 0xE0 && second < 0xA0) return 0;
    if (byte(0) == 0xED && second >= 0xA0) return 0;
    if (byte(0) == 0xF0 && second < 0x90) return 0;
    if (byte(0) == 0xF4 && second >= 0x90) return 0;
  }
  return size;
}

std::uint32_t code_point(std::string_view character) noexcept {
  const auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return first;
  std::uint32_t code = first & (0x7FU >> character.size());
  for (const char byte : character.substr(1)) {
    code = (code << 6U) | (static_cast<unsigned char>(byte) & 0x3FU);
  }
  return code;
}

bool is_shown(std::uint32_t code) noexcept {
  const bool is_control = code < 0x20 || (code >= 0x7F && code < 0xA0);
  const bool is_line_end = code == 0x2028 || code == 0x2029;
  const bool is_direction = code == 0x061C || code == 0x200E || code == 0x200F ||
                            (code >= 0x202A && code <= 0x202E) ||
                            (code >= 0x2066 && code <= 0x2069);
  return !is_control && !is_line_end && !is_direction;
}

bool is_utf8(std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const std::size_t size = utf8_size(bytes);
    if (size == 0) return false;
    bytes.remove_prefix(size);
  }
  return true;
}

}  // namespace sheaf::internal
