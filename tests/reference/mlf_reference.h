/// \file
/// The slow parser of master label files: docs/formats/mlf.md, sentence by sentence. Shares no code
/// with src/format/mlf. The dim has to be declared: it finds none.

#pragma once

#include <string_view>

#include "sheaf/extend/format.h"

#include "conformance/format_under_test.h"

namespace sheaf::conformance {

/// Parses a whole file.
///
/// Pre: the options are ones that the format accepts; the C locale is in force.
[[nodiscard]] ReferenceResult mlf_reference(std::string_view bytes, const FormatOptions& options);

}  // namespace sheaf::conformance
