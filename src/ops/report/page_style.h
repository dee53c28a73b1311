// The style sheet of a page.

#pragma once

#include <string_view>

namespace sheaf::internal::page {

/// Returns the style sheet: light and dark, phones, and print.
[[nodiscard]] std::string_view style_sheet() noexcept;

}  // namespace sheaf::internal::page
