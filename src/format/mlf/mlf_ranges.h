// Takes many range lines of the usual form at a time. Leaves any other line, and any error, to the
// tokenizer (mlf_lines.h), which parses every form and reports errors.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "format/mlf/mlf_options.h"
#include "format/mlf/mlf_states.h"

namespace sheaf::mlf {

/// Lines at the front of a text.
struct TakenLines {
  const char* end = nullptr;       // after the last line
  const char* last_row = nullptr;  // start of the last line; null if there is none
  std::int64_t row_count = 0;
};

/// Skips the range lines at the front of a text. Stops at a line that begins with a blank, a point
/// or a control byte, and at a last line without LF.
///
/// Pre: an utterance has begun; a line begins at the front of the text; 64 bytes after the text may
///      be read.
[[nodiscard]] TakenLines pass_over_ranges(std::string_view text) noexcept;

/// Consecutive frames with the same label.
struct Run {
  std::uint32_t count = 0;
  std::uint32_t id = 0;
};

/// Reads range lines whose times are whole numbers, with one blank between columns.
class PlainRanges {
 public:
  /// `states` is null if labels are ids. Ids are below `dim`.
  ///
  /// Lifetime: the arguments must outlive the PlainRanges.
  PlainRanges(const Options& options, const States* states, std::int64_t dim) noexcept
      : options_(options), states_(states), dim_(dim) {}

  /// Reads lines at the front of a text. Each range must begin where the previous one ended, and
  /// the first one must begin at `next_frame`. Appends the ranges to `runs`, and advances
  /// `next_frame`.
  ///
  /// Pre: as pass_over_ranges().
  [[nodiscard]] TakenLines take(std::string_view text, std::int64_t& next_frame,
                                std::vector<Run>& runs) const;

 private:
  struct Column {
    const char* end = nullptr;  // null if the column does not have the usual form
    std::int64_t id = 0;
  };

  [[nodiscard]] Column lex_state(const char* p) const noexcept;
  [[nodiscard]] static Column lex_id_column(const char* p) noexcept;

  const Options& options_;
  const States* states_;
  std::int64_t dim_;
};

}  // namespace sheaf::mlf
