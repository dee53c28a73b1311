// Lines of a list of HTK files (`scp`).

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "format/htk/htk_errors.h"

namespace sheaf::htk {

/// How the lines of a list are read.
struct ListRules {
  std::string prefix;  // ends with a slash, or is empty
  std::string
      folder;  // of the list, for `...`; without a slash at its end, "." where there is none
  bool allows_last_minus_1 = true;
};

/// What one line says.
///
/// Lifetime: that of the line, and of the scratch text it was parsed with.
struct ListLine {
  static constexpr std::int64_t kToEnd = -1;

  std::string_view key;
  std::string_view path;
  std::int64_t first = 0;
  std::int64_t last = kToEnd;  // to the end of the file

  /// What is wrong with the line, and where: bytes from its beginning.
  const ErrorKind* fault = nullptr;
  std::size_t fault_begin = 0;
  std::size_t fault_size = 0;

  // Where the path and the range stand in the line, for messages.
  std::size_t path_begin = 0;
  std::size_t path_size = 0;

  /// Returns how many frames the line says; kToEnd where the header of the file says them.
  [[nodiscard]] std::int64_t frame_count() const {
    return last == kToEnd ? kToEnd : last - first + 1;
  }
};

/// Largest frame number of a range.
inline constexpr std::int64_t kFrameMax = (std::int64_t{1} << 31) - 1;

/// Returns whether a line holds nothing but blanks.
[[nodiscard]] bool is_blank_line(std::string_view line) noexcept;

/// Parses a line, without its LF. A CR at the end does not count. `scratch` holds texts that the
/// rules change.
[[nodiscard]] ListLine parse_list_line(std::string_view line, const ListRules& rules,
                                       std::string& scratch);

/// What a line of the usual form says: "name=path[first,last]".
struct PlainListLine {
  const char* end = nullptr;  // at the LF; null: the line is of another form, or wrong
  std::string_view key;
  std::string_view path;
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// Parses a line where that is simple: none with `...`, and no frame number of nine digits. What it
/// takes it reads as parse_list_line() does without a prefix.
///
/// Pre: a LF is at the end of the line; 64 bytes behind the LF may be read.
[[nodiscard]] PlainListLine parse_plain_line(const char* line) noexcept;

/// Returns a logical name up to its last dot, which may stand in a folder: CNTK cuts keys so.
[[nodiscard]] std::string_view key_of_name(std::string_view name) noexcept;

}  // namespace sheaf::htk
