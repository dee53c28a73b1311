// The style sheet of a page.

#pragma once

#include <string_view>

namespace sheaf::internal::page {

/// Returns the style sheet for light and dark screens, phones, and print.
[[nodiscard]] std::string_view style_sheet() noexcept;

}  // namespace sheaf::internal::page
