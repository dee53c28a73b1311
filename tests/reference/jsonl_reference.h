/// \file
/// The slow parser of JSON Lines, which follows docs/formats/jsonl.md sentence by sentence. Shares
/// no code with src/format/jsonl, and does not use simdjson. Types and dims must be declared; the
/// parser infers none.

#pragma once

#include <string_view>

#include "sheaf/extend/format.h"

#include "conformance/format_under_test.h"

namespace sheaf::conformance {

/// Parses a whole file.
///
/// Pre: the format accepts the options; the C locale is in use.
[[nodiscard]] ReferenceResult jsonl_reference(std::string_view bytes, const FormatOptions& options);

}  // namespace sheaf::conformance
