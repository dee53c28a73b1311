// The key ends at the first equals sign, and the archive ends at the last opening bracket. So paths
// may contain both characters.

#include "format/lattice/lattice_toc.h"

#include <charconv>
#include <system_error>

namespace sheaf::lattice {
namespace {

TocLine fault_of(const ErrorKind& kind, std::size_t begin, std::size_t size) {
  TocLine line;
  line.fault = &kind;
  line.fault_part = {.begin = begin, .size = size};
  return line;
}

}  // namespace

std::string_view without_trailing_blanks(std::string_view line) {
  const std::size_t last = line.find_last_not_of(" \t\r\v\f");
  return line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

TocLine parse_toc_line(std::string_view line) {
  constexpr std::size_t kNone = std::string_view::npos;
  line = without_trailing_blanks(line);
  const std::size_t zero = line.find('\0');
  if (zero != kNone) return fault_of(kZeroByte, zero, 1);
  const std::size_t equals = line.find('=');
  if (equals == kNone) return fault_of(kNoEquals, 0, line.size());
  if (equals == 0) return fault_of(kNoKey, 0, 1);
  const std::size_t opening = line.rfind('[');
  if (opening == kNone || opening < equals) return fault_of(kNoOpening, line.size(), 0);
  const std::size_t closing = line.find(']', opening);
  if (closing == kNone) return fault_of(kNoClosing, line.size(), 0);
  if (closing + 1 != line.size()) {
    return fault_of(kMore, closing + 1, line.size() - closing - 1);
  }
  TocLine parts{.key = {.begin = 0, .size = equals},
                .archive = {.begin = equals + 1, .size = opening - equals - 1},
                .offset = {.begin = opening + 1, .size = closing - opening - 1}};
  const char* const first = line.data() + parts.offset.begin;
  const char* const last = first + parts.offset.size;
  const auto [end, error] = std::from_chars(first, last, parts.offset_bytes);
  if (error != std::errc() || end != last || parts.offset_bytes < 0) {
    return fault_of(kOffset, parts.offset.begin, parts.offset.size);
  }
  return parts;
}

}  // namespace sheaf::lattice
