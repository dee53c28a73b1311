// Checks the contents of an index file against the text and against itself. Checksums detect
// damage. These checks detect files that were written wrongly.

#pragma once

#include <cstdint>
#include <string>

#include "format/text/scanned_chunk.h"
#include "index/index_file.h"

namespace sheaf::internal {

/// Describes what is impossible about the chunks of an index file whose rows are `rows`. Returns an
/// empty text if nothing is wrong. `may_drop`: the index may leave out sequences between the
/// others. `fills_up`: there may be more samples than bytes.
[[nodiscard]] std::string fault_of_chunks(const IndexFile& file, const ScanPart& rows,
                                          bool may_drop, bool fills_up = false);

/// Returns whether a chunk can have this table. `has_costs`: the costs of sequences are not their
/// bytes.
///
/// Pre: the table has info.sequence_count sequences, and fault_of_chunks() finds no fault in the
///      chunk.
[[nodiscard]] bool fits(const ChunkInfo& info, const SequenceTable& table,
                        bool has_costs = false) noexcept;

/// Returns whether a chunk can have these notes. `fills_up` is as above.
///
/// Pre: as above.
[[nodiscard]] bool fits(const ChunkInfo& info, const ChunkNotes& notes, std::int64_t stream_count,
                        bool fills_up = false);

}  // namespace sheaf::internal
