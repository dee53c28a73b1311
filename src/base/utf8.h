// Which bytes are UTF-8.

#pragma once

#include <cstddef>
#include <string_view>

namespace sheaf::internal {

/// Length of the well-formed character at the front of `bytes`; 0 where there is none.
[[nodiscard]] std::size_t utf8_size(std::string_view bytes) noexcept;

/// Whether bytes are well-formed characters, one after the other.
[[nodiscard]] bool is_utf8(std::string_view bytes) noexcept;

}  // namespace sheaf::internal
