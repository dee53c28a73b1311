// A slow parser of CBF that follows docs/formats/cbf.md literally. Shares no code with
// src/format/cbf.

#pragma once

#include <string_view>

#include "sheaf/extend/format.h"

#include "conformance/format_under_test.h"

namespace sheaf::conformance {

[[nodiscard]] ReferenceResult parse_cbf(std::string_view bytes, const FormatOptions& options);

/// Returns the offset of the header, which is not read after the file is open.
///
/// Pre: the bytes are a whole CBF file.
[[nodiscard]] std::int64_t cbf_header_offset(std::string_view bytes);

}  // namespace sheaf::conformance
