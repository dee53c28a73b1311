// Compresses bytes of unknown structure with a library.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "sheaf/extend/buffer.h"

namespace sheaf::container {

/// Compresses bytes. Returns nothing if the result takes more than `size_max_bytes`.
[[nodiscard]] std::optional<Buffer> compress_lz4(std::span<const std::byte> bytes,
                                                 std::int64_t size_max_bytes);
[[nodiscard]] std::optional<Buffer> compress_zstd(std::span<const std::byte> bytes,
                                                  std::int64_t size_max_bytes);

/// Returns whether compress_lz4() is likely to save at least an eighth, judged by samples of the
/// bytes.
[[nodiscard]] bool is_compressible(std::span<const std::byte> bytes);

/// Decompresses bytes. Returns whether they give exactly as many bytes as `into` has.
[[nodiscard]] bool decompress_lz4(std::span<const std::byte> bytes, std::span<std::byte> into);
[[nodiscard]] bool decompress_zstd(std::span<const std::byte> bytes, std::span<std::byte> into);

}  // namespace sheaf::container
