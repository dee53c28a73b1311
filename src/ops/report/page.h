// The page of `sheaf report`: one file of HTML, to look at without a network.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sheaf::internal {

/// How every page of `sheaf report` begins. A page that is written again may replace one.
inline constexpr std::string_view kPageStart = "<!doctype html>\n<!-- sheaf report 1 -->\n";

/// The most bytes of a page.
inline constexpr std::size_t kPageBytesMax = 1'000'000;

/// Returns the page of a report.
///
/// The page runs no script and loads nothing. It shows the fields that the JSON has, and carries
/// the JSON in an element `<script type="application/json" id="report">`. Where the page would be
/// larger than kPageBytesMax, sections or the JSON are left out, and the page says so.
///
/// Determinism: equal JSON gives equal bytes.
/// Throws:      ConfigError where the text is not a JSON object.
[[nodiscard]] std::string page_of(std::string_view json);

/// Returns whether bytes are the start of a page of `sheaf report`.
[[nodiscard]] bool is_page(std::string_view bytes) noexcept;

}  // namespace sheaf::internal
