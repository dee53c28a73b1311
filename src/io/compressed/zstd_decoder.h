// Where the frames of a zstd file lie.

#pragma once

#include <cstdint>

#include "sheaf/extend/byte_source.h"

namespace sheaf::internal {

/// Returns the end of the first frame from `begin` on that ends `least` bytes behind `begin` or
/// more. Returns the end of the source if no such frame is known there; what is wrong with the rest
/// is then for a decoder to say.
///
/// Pre:    a frame begins at `begin`.
/// Throws: IoError.
/// Cost:   reads the headers of blocks; decompresses nothing.
[[nodiscard]] std::int64_t zstd_frames_end(const ByteSource& source, std::int64_t begin,
                                           std::int64_t least);

}  // namespace sheaf::internal
