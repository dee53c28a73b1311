/// \file
/// The stream list of CNTK's converter from text to binary.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sheaf/diagnostic.h"
#include "sheaf/extend/format.h"
#include "sheaf/types.h"

namespace sheaf::cli {

/// Streams in the order of the lines, or what is wrong with the lines.
struct Ctf2binHeader {
  std::vector<StreamOptions> streams = {};
  std::vector<Diagnostic> errors = {};
};

/// Parse lines of `published-name name-in-CTF dense|sparse dim`. Lines of blanks only are nothing.
/// All wrong lines are reported; a file without streams is an error.
[[nodiscard]] Ctf2binHeader parse_ctf2bin_header(std::string_view text, std::string_view path,
                                                 ElementType element_type);

}  // namespace sheaf::cli
