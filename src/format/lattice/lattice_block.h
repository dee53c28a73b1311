// What the bytes of a lattice say of themselves.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "format/lattice/lattice_errors.h"

namespace sheaf::lattice {

inline constexpr std::int64_t kLatticeSizeMax = 49'999'999;

/// What is wrong with a block, and where.
struct BlockFault {
  const ErrorKind* kind = nullptr;
  std::int64_t byte_offset = 0;  // from the start of the block
  std::string found;
};

/// Returns the first thing that is wrong with a block; nothing where the block is good. Of a block
/// of version 1, looks at tag and version; of version 2, also at the counts and sizes, and at the
/// time of the last node.
[[nodiscard]] std::optional<BlockFault> fault_of_block(std::span<const std::byte> block);

/// Returns the number of frames that the header says; nothing where there is no whole header.
[[nodiscard]] std::optional<std::int64_t> frame_count_of(std::span<const std::byte> block);

/// Returns whether the block is of version 2, whose parts say where the block ends.
///
/// Pre: the block has no fault.
[[nodiscard]] bool has_parts(std::span<const std::byte> block);

}  // namespace sheaf::lattice
