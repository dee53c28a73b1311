// Hashes bytes of a source.

#pragma once

#include <cstdint>

#include "sheaf/extend/byte_source.h"

namespace sheaf::internal {

/// Returns the XXH3 of the bytes from `begin` to `end`. Reads them a piece at a time.
///
/// Pre:    0 <= begin <= end <= the source's size.
/// Throws: IoError.
[[nodiscard]] std::uint64_t hash_of(const ByteSource& source, std::int64_t begin, std::int64_t end);

}  // namespace sheaf::internal
