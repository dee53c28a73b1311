// Whether numbers can be those of a scan: what is kept in a file may say anything.

#pragma once

#include <cstdint>

#include "sheaf/index.h"

#include "index/scanned_chunk.h"

namespace sheaf::internal {

/// Whether a chunk can lie in the bytes [begin, end) of a text: every sequence has a byte, and no
/// sample has none.
[[nodiscard]] bool can_be(const ChunkInfo& chunk, std::int64_t begin, std::int64_t end) noexcept;

/// Whether these can be a chunk's sequences, and the notes about it of a text of so many streams.
///
/// Pre:  can_be(chunk, ...), and as many sequences.
/// Cost: one look at each sequence whose place, line or samples lie on no line.
[[nodiscard]] bool can_be(const ChunkInfo& chunk, const SequenceTable& sequences,
                          const ChunkNotes& notes, std::int64_t stream_count) noexcept;

}  // namespace sheaf::internal
