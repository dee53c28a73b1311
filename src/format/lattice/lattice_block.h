// Checks the bytes of a lattice.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "format/lattice/lattice_errors.h"

namespace sheaf::lattice {

inline constexpr std::int64_t kLatticeSizeMax = 49'999'999;

/// An error in a block, and its location.
struct BlockFault {
  const ErrorKind* kind = nullptr;
  std::int64_t byte_offset = 0;  // counted from the start of the block
  std::string found;
};

/// Returns the first error in a block, or nothing if the block is good. In version 1, checks tag
/// and version. In version 2, also checks the counts and sizes, and the time of the last node.
[[nodiscard]] std::optional<BlockFault> fault_of_block(std::span<const std::byte> block);

/// Returns the number of frames in the header, or nothing if the header is incomplete.
[[nodiscard]] std::optional<std::int64_t> frame_count_of(std::span<const std::byte> block);

/// Returns whether the block has version 2, whose parts tell where the block ends.
///
/// Pre: the block has no fault.
[[nodiscard]] bool has_parts(std::span<const std::byte> block);

}  // namespace sheaf::lattice
