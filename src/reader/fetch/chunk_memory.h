// The memory of decoded sequences.

#pragma once

#include <cstdint>

#include "sheaf/extend/chunk.h"

namespace sheaf::internal {

/// Returns how much memory a chunk keeps alive, including borrowed bytes of its read buffer.
[[nodiscard]] std::int64_t held_bytes(const Chunk& chunk) noexcept;

}  // namespace sheaf::internal
