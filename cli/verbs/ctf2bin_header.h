/// \file
/// The list of streams that CNTK's converter from text to binary takes.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/format.h"
#include "sheaf/types.h"

namespace sheaf::cli {

/// The streams in the order of the lines, or the errors in the lines.
struct Ctf2binHeader {
  std::vector<StreamOptions> streams = {};
  std::vector<Diagnostic> errors = {};
};

/// Parses lines of `published-name name-in-CTF dense|sparse dim` and skips blank lines. Reports
/// every wrong line. A file without streams is an error.
[[nodiscard]] Ctf2binHeader parse_ctf2bin_header(std::string_view text, std::string_view path,
                                                 ElementType element_type);

}  // namespace sheaf::cli
