// Helpers of both toy formats: a part of a source as a string, and a vector as a buffer.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "sheaf/extend/buffer.h"
#include "sheaf/extend/byte_source.h"

namespace sheaf::toys {

/// Returns the bytes [begin, end) of a source, read in pieces of at most `read_size_bytes`.
///
/// Throws: IoError.
inline std::string read_part(const ByteSource& source, std::int64_t begin, std::int64_t end,
                             std::int64_t read_size_bytes) {
  std::string bytes(static_cast<std::size_t>(end - begin), '\0');
  const std::span<char> all(bytes);
  for (std::int64_t at = begin; at < end; at += read_size_bytes) {
    const std::int64_t size = std::min(read_size_bytes, end - at);
    source.read_at(at, std::as_writable_bytes(all.subspan(static_cast<std::size_t>(at - begin),
                                                          static_cast<std::size_t>(size))));
  }
  return bytes;
}

/// Returns a buffer with the values of a vector and no spare memory.
template <typename T>
Buffer buffer_of(const std::vector<T>& values) {
  Buffer buffer;
  buffer.reserve(static_cast<std::int64_t>(values.size() * sizeof(T)));
  buffer.resize(static_cast<std::int64_t>(values.size() * sizeof(T)));
  if (!values.empty()) std::memcpy(buffer.mutable_data(), values.data(), values.size() * sizeof(T));
  return buffer;
}

}  // namespace sheaf::toys
