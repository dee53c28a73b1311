// A slow parser of `.sheaf` files: docs/formats/sheaf.md read aloud. Shares no code with
// src/format/sheaf.

#pragma once

#include <string_view>

#include "sheaf/extend/format.h"

#include "conformance/format_under_test.h"

namespace sheaf::conformance {

/// Reads a whole file. Files that stand for millions of values are forged, for this parser.
[[nodiscard]] ReferenceResult parse_sheaf(std::string_view bytes, const FormatOptions& options);

}  // namespace sheaf::conformance
