/// \file
/// The slow parser of CTF that is compatible with CNTK: two passes over the rows, as in CNTK.

#pragma once

#include <string_view>

#include "sheaf/extend/format.h"

#include "conformance/format_under_test.h"

namespace sheaf::conformance {

/// Parses a whole file.
///
/// Pre: as ctf_reference().
[[nodiscard]] ReferenceResult ctf_cntk_reference(std::string_view bytes,
                                                 const FormatOptions& options);

}  // namespace sheaf::conformance
