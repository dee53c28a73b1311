// Bytes without a structure of their own, compressed by a library.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "sheaf/extend/buffer.h"

namespace sheaf::container {

/// Compresses bytes; nothing where that takes more than `size_max_bytes`.
[[nodiscard]] std::optional<Buffer> compress_lz4(std::span<const std::byte> bytes,
                                                 std::int64_t size_max_bytes);
[[nodiscard]] std::optional<Buffer> compress_zstd(std::span<const std::byte> bytes,
                                                  std::int64_t size_max_bytes);

/// Returns whether samples of the bytes say that compress_lz4() makes them an eighth smaller.
[[nodiscard]] bool is_compressible(std::span<const std::byte> bytes);

/// Decompresses. Returns whether the bytes give exactly as many as `into` has.
[[nodiscard]] bool decompress_lz4(std::span<const std::byte> bytes, std::span<std::byte> into);
[[nodiscard]] bool decompress_zstd(std::span<const std::byte> bytes, std::span<std::byte> into);

}  // namespace sheaf::container
