// A slow parser of CBF: docs/formats/cbf.md read aloud. Shares no code with src/format/cbf.

#pragma once

#include <string_view>

#include "sheaf/extend/format.h"

#include "conformance/format_under_test.h"

namespace sheaf::conformance {

[[nodiscard]] ReferenceResult parse_cbf(std::string_view bytes, const FormatOptions& options);

/// Where the header begins, which nobody reads once a file is open.
///
/// Pre: the bytes are a whole CBF file.
[[nodiscard]] std::int64_t cbf_header_offset(std::string_view bytes);

}  // namespace sheaf::conformance
