// The pixels of an encoded image.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sheaf/extend/byte_source.h"

namespace sheaf::internal {

/// Nearly all headers end within so many bytes, so these are read first.
inline constexpr std::int64_t kFirstHeaderBytes = std::int64_t{4} << 10;

/// Returns the first `size` bytes of an image, or fewer where the image is damaged. Sizes rise from
/// call to call.
///
/// Lifetime: until the next call.
using ImageFront = std::function<std::span<const std::byte>(std::int64_t size)>;

/// Returns how many pixels an encoded image of `size_bytes` has, by its header; 0 where the header
/// is damaged or unknown. Asks `front` for kFirstHeaderBytes, then for 64 KiB and for 16 MiB where
/// the header goes on, and never for more than `size_bytes`.
///
/// Throws: what `front` throws.
[[nodiscard]] std::int64_t pixel_count_of(std::int64_t size_bytes, const ImageFront& front);

/// The same for an image in a source. `first_bytes` are bytes of the image that are read already.
///
/// Pre:    the source has the bytes of the image.
/// Throws: IoError.
[[nodiscard]] std::int64_t pixel_count_of(const ByteSource& source, std::int64_t offset_bytes,
                                          std::int64_t size_bytes, std::int64_t read_size_bytes,
                                          std::vector<std::byte> first_bytes = {});

}  // namespace sheaf::internal
