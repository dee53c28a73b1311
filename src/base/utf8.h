// Recognizes UTF-8.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sheaf::internal {

/// Returns the size of the well-formed character at the front of `bytes`, or 0 if there is none.
[[nodiscard]] std::size_t utf8_size(std::string_view bytes) noexcept;

/// Returns the code point of a well-formed character.
[[nodiscard]] std::uint32_t code_point(std::string_view character) noexcept;

/// Returns whether a code point is visible: no control character of C0 or C1, no line separator,
/// and no character that changes the direction of writing.
[[nodiscard]] bool is_shown(std::uint32_t code) noexcept;

/// Returns whether all bytes form well-formed characters.
[[nodiscard]] bool is_utf8(std::string_view bytes) noexcept;

}  // namespace sheaf::internal
