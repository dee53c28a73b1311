// The checked options of a CTF file, in the form that indexing and reading need.

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
  StreamNames names;            // the names in the file, in the order of `streams`
  bool is_cntk = false;         // compatible with CNTK
  bool allows_missing = false;  // streams may be absent from a sequence
  bool skips_ids = false;
};

/// Checks the options that do not depend on the data.
///
/// Throws: ConfigError that names the option or stream.
void check_options(const FormatOptions& options);

/// Checks the options with all their streams.
///
/// Throws: ConfigError that names the option or stream.
[[nodiscard]] Schema make_schema(const FormatOptions& options);

/// Where the rows of a file begin, and how they form sequences.
struct Beginning {
  std::int64_t offset = 0;  // after the byte order mark, if there is one
  std::int64_t line = 1;    // line of the row there
  std::int64_t column = 1;  // column of that row in its line
  KeyMode mode = KeyMode::ids;
};

/// Reads a file up to its first row with data.
///
/// Throws: DataError if there is no such row, if the row has no id and does not begin with "|", or
///         if the file is UTF-16; IoError.
[[nodiscard]] Beginning find_beginning(const ByteSource& source, const FormatOptions& options);

}  // namespace sheaf::ctf
