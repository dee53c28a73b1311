// Removes comments from lines: docs/config.md, "Lines".

#pragma once

#include <cstddef>
#include <string_view>

#include "cntk/config_tree.h"

namespace sheaf::internal {

/// The part of a line that CNTK keeps, as offsets into the line. Nothing is kept if begin == end.
struct KeptLine {
  std::size_t begin = 0;
  std::size_t end = 0;
};
[[nodiscard]] KeptLine cntk_line(std::string_view line) noexcept;

/// Removes CNTK's comments from the lines of a text once more. CNTK does so whenever it fetches a
/// text.
[[nodiscard]] TextSlice without_cntk_comments(const TextSlice& text);

/// Appends a source to `text`, without comments, each line with a newline. Warns of text that looks
/// like a comment or a blank but is none, and of comments and blanks that do not look like it.
///
/// Throws: ConfigTextError if a quote is not closed; only in the dialect `checked`.
void append_source(ConfigState& state, std::int32_t source, bool is_word, LocatedText& text);

}  // namespace sheaf::internal
