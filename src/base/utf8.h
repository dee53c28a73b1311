// Which bytes are UTF-8.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sheaf::internal {

/// Length of the well-formed character at the front of `bytes`; 0 where there is none.
[[nodiscard]] std::size_t utf8_size(std::string_view bytes) noexcept;

/// The code point of a well-formed character.
[[nodiscard]] std::uint32_t code_point(std::string_view character) noexcept;

/// Whether a code point is a character to look at: no control character of C0 or C1, none that ends
/// a line, and none that turns the direction of writing.
[[nodiscard]] bool is_shown(std::uint32_t code) noexcept;

/// Whether bytes are well-formed characters, one after the other.
[[nodiscard]] bool is_utf8(std::string_view bytes) noexcept;

}  // namespace sheaf::internal
