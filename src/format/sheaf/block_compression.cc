#include "format/sheaf/block_compression.h"

#include <algorithm>
#include <array>
#include <new>

#include <lz4.h>
#include <zstd.h>
#include <zstd_errors.h>

namespace sheaf::container {
namespace {

constexpr int kZstdLevel = 3;
constexpr std::int64_t kTriedSize = std::int64_t{16} << 10;
constexpr std::int64_t kTriedParts = 4;

const char* chars_of(std::span<const std::byte> bytes) noexcept {
  return reinterpret_cast<const char*>(bytes.data());
}

}  // namespace

std::optional<Buffer> compress_lz4(std::span<const std::byte> bytes, std::int64_t size_max_bytes) {
  if (std::ssize(bytes) > LZ4_MAX_INPUT_SIZE) return std::nullopt;
  Buffer packed;
  packed.resize(LZ4_compressBound(static_cast<int>(std::ssize(bytes))));
  const int size = LZ4_compress_default(
      chars_of(bytes), reinterpret_cast<char*>(packed.mutable_data()),
      static_cast<int>(std::ssize(bytes)), static_cast<int>(packed.size_bytes()));
  if (size <= 0 || size > size_max_bytes) return std::nullopt;
  packed.resize(size);
  return packed;
}

std::optional<Buffer> compress_zstd(std::span<const std::byte> bytes, std::int64_t size_max_bytes) {
  Buffer packed;
  packed.resize(static_cast<std::int64_t>(ZSTD_compressBound(bytes.size())));
  const std::size_t size =
      ZSTD_compress(packed.mutable_data(), static_cast<std::size_t>(packed.size_bytes()),
                    bytes.data(), bytes.size(), kZstdLevel);
  if (ZSTD_isError(size) != 0) throw std::bad_alloc();  // there is room, so memory is lacking
  if (static_cast<std::int64_t>(size) > size_max_bytes) return std::nullopt;
  packed.resize(static_cast<std::int64_t>(size));
  return packed;
}

bool is_compressible(std::span<const std::byte> bytes) {
  const std::int64_t size = std::ssize(bytes);
  if (size <= kTriedParts * kTriedSize) return true;
  std::int64_t packed_size = 0;
  std::array<char, std::size_t{kTriedSize}> packed{};
  for (std::int64_t i = 0; i < kTriedParts; ++i) {
    const auto at = static_cast<std::size_t>(i * ((size - kTriedSize) / (kTriedParts - 1)));
    const int part =
        LZ4_compress_default(chars_of(bytes.subspan(at)), packed.data(),
                             static_cast<int>(kTriedSize), static_cast<int>(packed.size()));
    packed_size += part > 0 ? part : kTriedSize;
  }
  return packed_size <= kTriedParts * kTriedSize / 8 * 7;
}

bool decompress_lz4(std::span<const std::byte> bytes, std::span<std::byte> into) {
  if (std::ssize(bytes) > LZ4_MAX_INPUT_SIZE || std::ssize(into) > LZ4_MAX_INPUT_SIZE) return false;
  const int size =
      LZ4_decompress_safe(chars_of(bytes), reinterpret_cast<char*>(into.data()),
                          static_cast<int>(bytes.size()), static_cast<int>(into.size()));
  return size >= 0 && static_cast<std::size_t>(size) == into.size();
}

bool decompress_zstd(std::span<const std::byte> bytes, std::span<std::byte> into) {
  // The library would also accept several frames.
  if (ZSTD_findFrameCompressedSize(bytes.data(), bytes.size()) != bytes.size()) return false;
  const std::size_t size = ZSTD_decompress(into.data(), into.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size) != 0 && ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation) {
    throw std::bad_alloc();
  }
  return size == into.size();
}

}  // namespace sheaf::container
