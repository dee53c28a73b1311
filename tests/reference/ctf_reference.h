/// \file
/// The slow parser of CTF, which follows docs/formats/ctf.md sentence by sentence. Shares no code
/// with src/format/ctf. Streams must be declared; the parser infers none.

#pragma once

#include <string_view>

#include "sheaf/extend/format.h"

#include "conformance/format_under_test.h"

namespace sheaf::conformance {

/// Returns the key of a text.
[[nodiscard]] SequenceKey ctf_reference_key(std::string_view text);

/// Parses a whole file.
///
/// Pre: the format accepts the options; the C locale is in use.
[[nodiscard]] ReferenceResult ctf_reference(std::string_view bytes, const FormatOptions& options);

}  // namespace sheaf::conformance
