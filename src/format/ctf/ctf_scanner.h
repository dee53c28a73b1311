// Turns rows of CTF into chunks of sequences without values.

#pragma once

#include <cstdint>
#include <memory>

#include "sheaf/extend/byte_source.h"

#include "format/ctf/ctf_rows.h"
#include "format/ctf/ctf_schema.h"
#include "format/text/scan_warnings.h"
#include "format/text/scanned_chunk.h"

namespace sheaf::ctf {

using internal::ChunkBuilder;
using internal::ScannedChunk;
using internal::Scanner;
using internal::ScanPart;
using internal::ScanWarnings;
using internal::StreamCounts;

/// Returns the scanner for the rules of the schema.
///
/// Lifetime: `source` and `schema` must outlive the scanner.
[[nodiscard]] std::unique_ptr<Scanner> make_scanner(const ByteSource& source, const Schema& schema,
                                                    KeyMode mode, const ScanPart& part);

/// Returns the offset of the first row in [from, to) that begins a sequence, no matter what
/// precedes `from`. Returns `to` if there is none.
///
/// Pre: 0 < from <= to; the schema is not compatible with CNTK.
[[nodiscard]] std::int64_t find_start(const ByteSource& source, const Schema& schema, KeyMode mode,
                                      std::int64_t from, std::int64_t to);

}  // namespace sheaf::ctf
