// Lines without their comments: docs/config.md, "Lines".

#pragma once

#include <cstddef>
#include <string_view>

#include "cntk/config_tree.h"

namespace sheaf::internal {

/// What CNTK leaves of a line: as offsets into it; begin == end: nothing.
struct KeptLine {
  std::size_t begin = 0;
  std::size_t end = 0;
};
[[nodiscard]] KeptLine cntk_line(std::string_view line) noexcept;

/// A text whose lines are stripped in CNTK's way once more, as it does whenever it fetches one.
[[nodiscard]] TextSlice without_cntk_comments(const TextSlice& text);

/// Append a source to `text`, without comments, each line with a newline. What looks like a comment
/// or a blank and is none, and the other way round, is warned of.
///
/// Throws: ConfigTextError where a quote is not closed; `checked` alone.
void append_source(ConfigState& state, std::int32_t source, bool is_word, PlacedText& text);

}  // namespace sheaf::internal
