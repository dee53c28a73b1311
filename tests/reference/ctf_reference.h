/// \file
/// The slow parser of CTF: docs/formats/ctf.md, sentence by sentence. Shares no code with
/// src/format/ctf. Streams have to be declared: it finds none.

#pragma once

#include <string_view>

#include "sheaf/extend/format.h"

#include "conformance/format_under_test.h"

namespace sheaf::conformance {

/// The key of a text.
[[nodiscard]] SequenceKey ctf_reference_key(std::string_view text);

/// Parse a whole file.
///
/// Pre: the options are ones that the format accepts; the C locale is in force.
[[nodiscard]] ReferenceResult ctf_reference(std::string_view bytes, const FormatOptions& options);

}  // namespace sheaf::conformance
