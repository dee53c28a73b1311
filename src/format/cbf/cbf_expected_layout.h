// Derives the layout of a chunk's blocks from its lengths.

#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "format/cbf/cbf_checks.h"
#include "format/cbf/cbf_file.h"

namespace sheaf::cbf {

/// Returns the layout of a chunk of dense streams. In each sequence, a stream has either as many
/// samples as the length of the sequence, or one. Returns nothing if no such choice gives the size
/// of the chunk. The layout may still be wrong, so the caller must check that each part begins and
/// ends there.
[[nodiscard]] std::optional<ChunkLayout> expected_layout(std::span<const FileStream> streams,
                                                         const ChunkTable::Chunk& chunk,
                                                         std::span<const std::uint32_t> lengths);

}  // namespace sheaf::cbf
