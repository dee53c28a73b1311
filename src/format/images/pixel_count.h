// The pixels of an encoded image.

#pragma once

#include <cstdint>

#include "sheaf/extend/byte_source.h"

namespace sheaf::internal {

/// Returns how many pixels an encoded image has, by its header; 0 where the header is wrong or
/// unknown. Reads a few kilobytes in the usual case, and 16 MiB at most.
///
/// Pre:    the source has the bytes.
/// Throws: IoError.
[[nodiscard]] std::int64_t pixel_count_of(const ByteSource& source, std::int64_t offset_bytes,
                                          std::int64_t size_bytes, std::int64_t read_size_bytes);

}  // namespace sheaf::internal
