/// \file
/// Buffers of columns.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "sheaf/extend/buffer.h"
#include "sheaf/types.h"

namespace sheaf::python {

inline constexpr std::int64_t kOffsetSize = sizeof(std::int64_t);

/// Returns whether the samples of a stream need offsets.
inline bool has_sample_offsets(const Stream& stream) noexcept {
  return stream.storage == Storage::sparse || !stream.sample_shape.is_fixed();
}

inline Buffer copy_of(std::span<const std::byte> bytes) {
  Buffer copy;
  if (bytes.empty()) return copy;
  copy.reserve(static_cast<std::int64_t>(bytes.size()));
  copy.resize(static_cast<std::int64_t>(bytes.size()));
  std::memcpy(copy.mutable_data(), bytes.data(), bytes.size());
  return copy;
}

/// Returns the offsets of `size` elements, from 0 on. Element i has count_of(i) parts.
template <typename Count>
Buffer offsets_of(std::int64_t size, const Count& count_of) {
  Buffer offsets;
  offsets.resize((size + 1) * kOffsetSize);
  const std::span<std::int64_t> into = offsets.as_mutable<std::int64_t>();
  into[0] = 0;
  for (std::int64_t i = 0; i < size; ++i) {
    const auto at = static_cast<std::size_t>(i);
    into[at + 1] = into[at] + count_of(i);
  }
  return offsets;
}

}  // namespace sheaf::python
