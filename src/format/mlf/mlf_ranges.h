// Range lines of the usual form, many at a time. Whatever is not of that form, or wrong, is left to
// the tokenizer (mlf_lines.h), which reads every form and says what is wrong.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "format/mlf/mlf_options.h"
#include "format/mlf/mlf_states.h"

namespace sheaf::mlf {

/// Lines at the front of a text.
struct TakenLines {
  const char* end = nullptr;       // behind the last one
  const char* last_row = nullptr;  // where the last one begins; null where there is none
  std::int64_t row_count = 0;
};

/// Passes over the range lines at the front of a text. Stops at a line that begins with a blank, a
/// point or a control byte, and at the last line where that has no LF.
///
/// Pre: an utterance is under way; a line begins at the front of the text; 64 bytes behind the text
///      may be read.
[[nodiscard]] TakenLines pass_over_ranges(std::string_view text) noexcept;

/// Frames with one label.
struct Run {
  std::uint32_t count = 0;
  std::uint32_t id = 0;
};

/// Reads range lines whose times are whole numbers, with one blank between columns.
class PlainRanges {
 public:
  /// `states` is null where labels are ids. Ids are below `dim`.
  ///
  /// Lifetime: the arguments must outlive the object.
  PlainRanges(const Options& options, const States* states, std::int64_t dim) noexcept
      : options_(options), states_(states), dim_(dim) {}

  /// Reads the lines at the front of a text, each of which begins where the one before ended, the
  /// first one at `next_frame`. Appends what they say to `runs`, and moves `next_frame` on.
  ///
  /// Pre: as pass_over_ranges().
  [[nodiscard]] TakenLines take(std::string_view text, std::int64_t& next_frame,
                                std::vector<Run>& runs) const;

 private:
  struct Column {
    const char* end = nullptr;  // null: the column is not of the usual form
    std::int64_t id = 0;
  };

  [[nodiscard]] Column lex_state(const char* p) const noexcept;
  [[nodiscard]] static Column lex_id_column(const char* p) noexcept;

  const Options& options_;
  const States* states_;
  std::int64_t dim_;
};

}  // namespace sheaf::mlf
