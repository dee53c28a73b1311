// What a CTF file is read as: the options, checked, in the form that indexing and reading need.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sheaf/extend/byte_source.h"
#include "sheaf/extend/format.h"
#include "sheaf/types.h"

#include "format/ctf/ctf_rows.h"
#include "format/text/scanned_chunk.h"

namespace sheaf::ctf {

struct Schema : internal::TextSchema {
  StreamNames names;            // as the file has them, in the order of `streams`
  bool is_cntk = false;         // compatible with CNTK
  bool allows_missing = false;  // streams may be absent from a sequence
  bool skips_ids = false;
};

/// Check what does not depend on the data.
///
/// Throws: ConfigError that names the option or stream.
void check_options(const FormatOptions& options);

/// Check the options with all their streams.
///
/// Throws: ConfigError that names the option or stream.
[[nodiscard]] Schema make_schema(const FormatOptions& options);

/// Where the rows of a file begin, and what makes them sequences.
struct Beginning {
  std::int64_t offset = 0;  // behind the byte order mark, if there is one
  std::int64_t line = 1;    // of the row there
  std::int64_t column = 1;  // where in its line that row begins
  KeyMode mode = KeyMode::ids;
};

/// Look at a file as far as its first row with data.
///
/// Throws: DataError where there is none, where it has no id and does not begin with "|", or where
///         the file is UTF-16; IoError.
[[nodiscard]] Beginning find_beginning(const ByteSource& source, const FormatOptions& options);

}  // namespace sheaf::ctf
