// What decoded sequences keep in memory.

#pragma once

#include <cstdint>

#include "sheaf/extend/chunk.h"

namespace sheaf::internal {

/// Returns the memory that a chunk keeps, with what it borrows from its read buffer.
[[nodiscard]] std::int64_t held_bytes(const Chunk& chunk) noexcept;

/// Returns the share of that memory that `sequence_count` sequences of the chunk have.
[[nodiscard]] std::int64_t held_bytes(const Chunk& chunk, std::int64_t sequence_count) noexcept;

}  // namespace sheaf::internal
