/// \file
/// The slow parser of CTF compatible with CNTK: two passes over the rows, as CNTK has them.

#pragma once

#include <string_view>

#include "sheaf/extend/format.h"

#include "conformance/format_under_test.h"

namespace sheaf::conformance {

/// Parse a whole file.
///
/// Pre: as ctf_reference().
[[nodiscard]] ReferenceResult ctf_cntk_reference(std::string_view bytes,
                                                 const FormatOptions& options);

}  // namespace sheaf::conformance
