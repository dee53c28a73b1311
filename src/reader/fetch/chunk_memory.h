// What decoded sequences keep in memory.

#pragma once

#include <cstdint>

#include "sheaf/extend/chunk.h"

namespace sheaf::internal {

/// Returns the memory that a chunk keeps, with what it borrows from its read buffer.
[[nodiscard]] std::int64_t held_bytes(const Chunk& chunk) noexcept;

}  // namespace sheaf::internal
