// Parses lines of a list of HTK files (`scp`).

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "format/htk/htk_errors.h"

namespace sheaf::htk {

/// The rules for reading the lines of a list.
struct ListRules {
  std::string prefix;  // ends with a slash, or is empty
  std::string
      folder;  // of the list, for `...`; without a slash at its end, and "." if there is none
  bool allows_last_minus_1 = true;
};

/// The contents of one line.
///
/// Lifetime: that of the line, and of the scratch text of the parser.
struct ListLine {
  static constexpr std::int64_t kToEnd = -1;

  std::string_view key;
  std::string_view path;
  std::int64_t first = 0;
  std::int64_t last = kToEnd;  // kToEnd means the end of the file

  /// The error in the line, and its bytes in the line.
  const ErrorKind* fault = nullptr;
  std::size_t fault_begin = 0;
  std::size_t fault_size = 0;

  // The bytes of the path and of the range in the line, for messages.
  std::size_t path_begin = 0;
  std::size_t path_size = 0;

  /// Returns the number of frames in the line's range, or kToEnd if the header of the file tells
  /// the number.
  [[nodiscard]] std::int64_t frame_count() const {
    return last == kToEnd ? kToEnd : last - first + 1;
  }
};

/// The largest frame number of a range.
inline constexpr std::int64_t kFrameMax = (std::int64_t{1} << 31) - 1;

/// Returns whether a line has only blanks.
[[nodiscard]] bool is_blank_line(std::string_view line) noexcept;

/// Parses a line, without its LF. Ignores a CR at the end. `scratch` holds texts that the rules
/// change.
[[nodiscard]] ListLine parse_list_line(std::string_view line, const ListRules& rules,
                                       std::string& scratch);

/// The contents of a line of the usual form: "name=path[first,last]".
struct PlainListLine {
  const char* end = nullptr;  // at the LF; null if the line has another form, or is wrong
  std::string_view key;
  std::string_view path;
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// Parses a simple line, without `...` and without frame numbers of nine digits. The result agrees
/// with parse_list_line() without a prefix.
///
/// Pre: an LF ends the line; 64 bytes after the LF may be read.
[[nodiscard]] PlainListLine parse_plain_line(const char* line) noexcept;

/// Returns a logical name up to its last dot, as CNTK does. The dot may even belong to a folder.
[[nodiscard]] std::string_view key_of_name(std::string_view name) noexcept;

}  // namespace sheaf::htk
