// From lines to chunks of sequences, without their values.

#pragma once

#include <cstdint>
#include <memory>

#include "sheaf/extend/byte_source.h"

#include "format/jsonl/jsonl_schema.h"
#include "format/text/scan_warnings.h"
#include "format/text/scanned_chunk.h"

namespace sheaf::jsonl {

/// Lifetime: `source` and `schema` must outlive it.
[[nodiscard]] std::unique_ptr<internal::Scanner> make_scanner(const ByteSource& source,
                                                              const Schema& schema,
                                                              const internal::ScanPart& part);

/// Returns where the first line begins, at or behind `from`, that is a sequence; `to` where none
/// does before there.
///
/// Pre: 0 < from <= to.
[[nodiscard]] std::int64_t find_start(const ByteSource& source, const Schema& schema,
                                      std::int64_t from, std::int64_t to);

/// Warns of the fields of a line that are neither a stream nor the key.
void note_unknown(const Row& row, const Line& line, const Schema& schema,
                  internal::ScanWarnings& warnings);

}  // namespace sheaf::jsonl
