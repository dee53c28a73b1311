// What an index file says of a text, held against the text and against itself. Its checksums tell
// damage; this is for files that were made wrongly.

#pragma once

#include <cstdint>
#include <string>

#include "format/text/scanned_chunk.h"
#include "index/index_file.h"

namespace sheaf::internal {

/// What cannot be of the chunks as a file tells of them, where their rows are those of `rows`;
/// empty where nothing is wrong. `may_drop`: sequences may be left out between them. `fills_up`:
/// there may be more samples than bytes.
[[nodiscard]] std::string fault_of_chunks(const IndexFile& file, const ScanPart& rows,
                                          bool may_drop, bool fills_up = false);

/// Whether a chunk can have this table. `has_costs`: sequences have costs other than their bytes.
///
/// Pre: the table has info.sequence_count sequences, and that chunk is one without fault.
[[nodiscard]] bool fits(const ChunkInfo& info, const SequenceTable& table,
                        bool has_costs = false) noexcept;

/// Whether a chunk can have these notes. `fills_up` as above.
///
/// Pre: as above.
[[nodiscard]] bool fits(const ChunkInfo& info, const ChunkNotes& notes, std::int64_t stream_count,
                        bool fills_up = false);

}  // namespace sheaf::internal
