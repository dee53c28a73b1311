// The sequences of a CTF file as CNTK 2.x indexes them.

#pragma once

#include <memory>

#include "sheaf/extend/byte_source.h"

#include "format/ctf/ctf_scanner.h"

namespace sheaf::ctf {

/// Counts rows, not samples: a sequence is as long as it has rows, or rows with the stream that
/// defines the size.
///
/// As make_scanner().
[[nodiscard]] std::unique_ptr<Scanner> make_cntk_scanner(const ByteSource& source,
                                                         const Schema& schema, KeyMode mode,
                                                         const ScanPart& part);

}  // namespace sheaf::ctf
