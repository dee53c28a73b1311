// The words of a line.

#pragma once

#include <cstdint>
#include <string_view>

namespace sheaf::kaldi {

/// Takes the next word off the front of a line. Returns an empty word where the line has no more
/// words; the place of the empty word is the end of the line.
///
/// Lifetime: that of the line.
[[nodiscard]] std::string_view take_word(std::string_view& line) noexcept;

/// Returns how many words a line has.
[[nodiscard]] std::int64_t count_words(std::string_view line) noexcept;

/// One line of a file of texts, such as Kaldi's `text`: a key, and words.
///
/// Lifetime: that of the line.
struct TextLine {
  std::string_view key;
  std::string_view text;  // without blanks at its ends; may be empty
};

/// Splits a line, without its LF. A blank line has an empty key.
[[nodiscard]] TextLine split_text_line(std::string_view line) noexcept;

}  // namespace sheaf::kaldi
