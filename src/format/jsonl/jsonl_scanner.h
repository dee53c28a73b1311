// Turns lines into chunks of sequences without values.

#pragma once

#include <cstdint>
#include <memory>

#include "sheaf/extend/byte_source.h"

#include "format/jsonl/jsonl_schema.h"
#include "format/text/scan_warnings.h"
#include "format/text/scanned_chunk.h"

namespace sheaf::jsonl {

/// Lifetime: `source` and `schema` must outlive the scanner.
[[nodiscard]] std::unique_ptr<internal::Scanner> make_scanner(const ByteSource& source,
                                                              const Schema& schema,
                                                              const internal::ScanPart& part);

/// Returns the offset of the first line in [from, to) that is a sequence, or `to` if there is none.
///
/// Pre: 0 < from <= to.
[[nodiscard]] std::int64_t find_start(const ByteSource& source, const Schema& schema,
                                      std::int64_t from, std::int64_t to);

/// Warns about the fields of a line that are neither a stream nor the key.
void note_unknown(const Row& row, const Line& line, const Schema& schema,
                  internal::ScanWarnings& warnings);

}  // namespace sheaf::jsonl
