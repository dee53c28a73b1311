// The page of `sheaf report`: one HTML file that needs no network.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sheaf::internal {

/// The beginning of every page of `sheaf report`. A new page may replace only a file with this
/// beginning.
inline constexpr std::string_view kPageStart = "<!doctype html>\n<!-- sheaf report 1 -->\n";

/// The maximum size of a page.
inline constexpr std::size_t kPageBytesMax = 1'000'000;

/// Returns the page of a report.
///
/// The page runs no script and loads nothing. It shows the fields of the JSON and carries the JSON
/// in an element `<script type="application/json" id="report">`. If the page would exceed
/// kPageBytesMax, sections or the JSON are left out, and the page says so.
///
/// Determinism: equal JSON gives equal bytes.
/// Throws:      ConfigError if the text is not a JSON object.
[[nodiscard]] std::string page_of(std::string_view json);

/// Returns whether the bytes begin a page of `sheaf report`.
[[nodiscard]] bool is_page(std::string_view bytes) noexcept;

}  // namespace sheaf::internal
