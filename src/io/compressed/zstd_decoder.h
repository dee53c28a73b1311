// Finds the frames of a zstd file.

#pragma once

#include <cstdint>

#include "sheaf/extend/byte_source.h"

namespace sheaf::internal {

/// Returns the end of the first frame that ends at least `least` bytes behind `begin`. Returns the
/// end of the source if no such frame can be found. A decoder then reports any damage.
///
/// Pre:    a frame begins at `begin`.
/// Throws: IoError.
/// Cost:   reads the headers of blocks; decompresses nothing.
[[nodiscard]] std::int64_t zstd_frames_end(const ByteSource& source, std::int64_t begin,
                                           std::int64_t least);

}  // namespace sheaf::internal
