// Finds the sequences of a CTF file as CNTK 2.x does.

#pragma once

#include <memory>

#include "sheaf/extend/byte_source.h"

#include "format/ctf/ctf_scanner.h"

namespace sheaf::ctf {

/// Returns a scanner that counts rows, not samples. The length of a sequence is the number of its
/// rows, or of its rows with the stream that defines the minibatch size.
///
/// Arguments and lifetimes: as make_scanner().
[[nodiscard]] std::unique_ptr<Scanner> make_cntk_scanner(const ByteSource& source,
                                                         const Schema& schema, KeyMode mode,
                                                         const ScanPart& part);

}  // namespace sheaf::ctf
