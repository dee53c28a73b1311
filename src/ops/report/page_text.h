// Texts and numbers as HTML.
//
// A text of data may hold anything: tags, quotes, characters that turn the direction of writing.
// Every text of a page comes from one of these functions, and so nothing in it is markup.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sheaf::internal::page {

/// The characters of a text that a page shows, unless a function is told another number.
inline constexpr int kTextMax = 120;

/// Returns a text for attributes and for titles of SVG. A character that cannot be seen stands as
/// its code, "[U+202E]". A text of more than `shown_max` characters ends with an ellipsis.
///
/// Pre:  `text` is UTF-8; a byte that is not becomes "[U+FFFD]".
/// Cost: at most 6 bytes for each character of `shown_max`, and an ellipsis.
[[nodiscard]] std::string plain(std::string_view text, int shown_max = kTextMax);

/// Returns a text as an element. Characters that cannot be seen have a frame around their codes,
/// and the direction of the text does not reach its neighbours.
[[nodiscard]] std::string marked(std::string_view text, int shown_max = kTextMax);

/// Returns a text of several lines for <pre>: as marked(), but lines and tabs stay.
[[nodiscard]] std::string marked_lines(std::string_view text, int shown_max);

/// Returns "12,345".
[[nodiscard]] std::string count_text(std::int64_t count);

/// Returns "1 sequence" or "12,345 sequences".
[[nodiscard]] std::string counted(std::int64_t count, std::string_view one, std::string_view many);

/// Returns a share of 1 in percent, "3.1 %". Only 0 is "0 %", and only 1 is "100 %".
[[nodiscard]] std::string share_text(double share);

/// Returns a number with four digits that matter, "0.0312", "12,346" or "1.2e-7".
[[nodiscard]] std::string value_text(double value);

/// Returns "1.2 GiB".
[[nodiscard]] std::string bytes_text(double bytes);

}  // namespace sheaf::internal::page
