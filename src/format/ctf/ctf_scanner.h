// From rows of CTF to chunks of sequences, without their values.

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

/// The scanner for what the schema asks for.
///
/// Lifetime: `source` and `schema` must outlive it.
[[nodiscard]] std::unique_ptr<Scanner> make_scanner(const ByteSource& source, const Schema& schema,
                                                    KeyMode mode, const ScanPart& part);

/// The first row at or behind `from` that begins a sequence, whatever stands before `from`; `to`
/// where none does that begins before there.
///
/// Pre: 0 < from <= to; not CNTK's rules.
[[nodiscard]] std::int64_t find_start(const ByteSource& source, const Schema& schema, KeyMode mode,
                                      std::int64_t from, std::int64_t to);

}  // namespace sheaf::ctf
