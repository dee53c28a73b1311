// Where the blocks of a chunk lie if its lengths tell it.

#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "format/cbf/cbf_checks.h"
#include "format/cbf/cbf_file.h"

namespace sheaf::cbf {

/// The layout of a chunk of dense streams in which each stream has, in every sequence, as many
/// samples as the sequence is long, or one; nothing where no such choice makes up the chunk's size.
/// It may be wrong all the same: whoever goes by it has to find each part to begin and end there.
[[nodiscard]] std::optional<ChunkLayout> expected_layout(std::span<const FileStream> streams,
                                                         const ChunkTable::Chunk& chunk,
                                                         std::span<const std::uint32_t> lengths);

}  // namespace sheaf::cbf
