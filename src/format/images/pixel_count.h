// Counts the pixels of an encoded image.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sheaf/extend/byte_source.h"

namespace sheaf::internal {

/// Nearly all headers end within this size, so these bytes are read first.
inline constexpr std::int64_t kFirstHeaderBytes = std::int64_t{4} << 10;

/// Returns the first `size` bytes of an image, or fewer if the image is damaged. Sizes increase
/// from call to call.
///
/// Lifetime: valid until the next call.
using ImageFront = std::function<std::span<const std::byte>(std::int64_t size)>;

/// Returns the number of pixels of an encoded image of `size_bytes`, from its header. Returns 0 if
/// the header is damaged or unknown. Asks `front` for kFirstHeaderBytes, then for 64 KiB and for 16
/// MiB if the header is longer, but never for more than `size_bytes`.
///
/// Throws: the exceptions of `front`.
[[nodiscard]] std::int64_t pixel_count_of(std::int64_t size_bytes, const ImageFront& front);

/// Does the same for an image in a source. `first_bytes` are the bytes of the image read so far.
///
/// Pre:    the source has the bytes of the image.
/// Throws: IoError.
[[nodiscard]] std::int64_t pixel_count_of(const ByteSource& source, std::int64_t offset_bytes,
                                          std::int64_t size_bytes, std::int64_t read_size_bytes,
                                          std::vector<std::byte> first_bytes = {});

}  // namespace sheaf::internal
