// Converts texts and numbers to HTML.
//
// A text of the data may contain tags, quotes, or characters that change the writing direction.
// Every text of a page comes from one of these functions, so no text of the data becomes markup.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sheaf::internal::page {

/// The default number of characters that a page shows of a text.
inline constexpr int kTextMax = 120;

/// Returns a text for attributes and for titles of SVG. An invisible character appears as its code,
/// such as "[U+202E]". A text of more than `shown_max` characters ends with an ellipsis.
///
/// Pre:  `text` should be UTF-8; any invalid byte becomes "[U+FFFD]".
/// Cost: at most 6 bytes for each of `shown_max` characters, plus an ellipsis.
[[nodiscard]] std::string plain(std::string_view text, int shown_max = kTextMax);

/// Returns a text as an element. The codes of invisible characters have a frame. The writing
/// direction of the text does not affect its neighbours.
[[nodiscard]] std::string marked(std::string_view text, int shown_max = kTextMax);

/// Returns a text of several lines for <pre>. As marked(), but keeps line breaks and tabs.
[[nodiscard]] std::string marked_lines(std::string_view text, int shown_max);

/// Returns a count, such as "12,345".
[[nodiscard]] std::string count_text(std::int64_t count);

/// Returns a count with its noun, such as "1 sequence" or "12,345 sequences".
[[nodiscard]] std::string counted(std::int64_t count, std::string_view one, std::string_view many);

/// Returns a share as a percentage, such as "3.1 %" for 0.031. Only 0 becomes "0 %", and only 1
/// becomes "100 %".
[[nodiscard]] std::string share_text(double share);

/// Returns a number with four significant digits, such as "0.0312", "12,346" or "1.2e-7".
[[nodiscard]] std::string value_text(double value);

/// Returns a size in bytes, such as "1.2 GiB".
[[nodiscard]] std::string bytes_text(double bytes);

}  // namespace sheaf::internal::page
