// A slow parser of `.sheaf` files that follows docs/formats/sheaf.md literally. Shares no code with
// src/format/sheaf.

#pragma once

#include <string_view>

#include "sheaf/extend/format.h"

#include "conformance/format_under_test.h"

namespace sheaf::conformance {

/// Reads a whole file. The parser reports files that stand for millions of values as forged.
[[nodiscard]] ReferenceResult parse_sheaf(std::string_view bytes, const FormatOptions& options);

}  // namespace sheaf::conformance
