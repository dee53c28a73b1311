// Reads bytes of a source in pieces.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sheaf/extend/byte_source.h"

namespace sheaf::internal {

/// Appends requests for bytes, in pieces of at most `read_size_bytes`.
void append_requests(std::int64_t offset, std::span<std::byte> into, std::int64_t read_size_bytes,
                     std::vector<ByteSource::Request>& requests);

/// Reads bytes in pieces of at most `read_size_bytes`.
///
/// Throws: IoError.
void read_bytes(const ByteSource& source, std::int64_t offset, std::span<std::byte> into,
                std::int64_t read_size_bytes);

}  // namespace sheaf::internal
