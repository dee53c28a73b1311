/// \file
/// The slow parser of CSV: docs/formats/csv.md, sentence by sentence. Shares no code
/// with src/format/csv. Streams have to be declared with their shapes: it finds none.

#pragma once

#include <string_view>

#include "sheaf/extend/format.h"

#include "conformance/format_under_test.h"

namespace sheaf::conformance {

/// Parse a whole file.
///
/// Pre: the options are ones that the format accepts; the C locale is in force.
[[nodiscard]] ReferenceResult csv_reference(std::string_view bytes, const FormatOptions& options);

}  // namespace sheaf::conformance
