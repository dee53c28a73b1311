// The words of a line.

#pragma once

#include <cstdint>
#include <string_view>

namespace sheaf::kaldi {

/// Takes the next word off the front of a line. At the end of the line, returns an empty word that
/// points to the end.
///
/// Lifetime: that of the line.
[[nodiscard]] std::string_view take_word(std::string_view& line) noexcept;

/// Returns the number of words in a line.
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
