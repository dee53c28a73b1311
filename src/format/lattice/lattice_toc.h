// One line of a table of contents: KEY=ARCHIVE[OFFSET].

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "format/lattice/lattice_errors.h"

namespace sheaf::lattice {

/// A piece of a line.
struct LinePart {
  std::size_t begin = 0;
  std::size_t size = 0;

  [[nodiscard]] std::string_view of(std::string_view line) const {
    return line.substr(begin, size);
  }
};

/// The parts of a line, or the error in the line and its location.
struct TocLine {
  LinePart key;
  LinePart archive;  // may be empty: the archive of the previous line
  LinePart offset;
  std::int64_t offset_bytes = 0;

  const ErrorKind* fault = nullptr;  // null if there is none
  LinePart fault_part{};
};

/// Splits a line, without its end. Ignores blanks at the end of the line.
[[nodiscard]] TocLine parse_toc_line(std::string_view line);

/// Returns the line without the blanks at its end.
[[nodiscard]] std::string_view without_trailing_blanks(std::string_view line);

}  // namespace sheaf::lattice
