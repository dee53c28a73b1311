// The numbers of a CBF file, as in docs/formats/cbf.md.

#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "base/unaligned.h"

namespace sheaf::cbf {

// Values are delivered in the byte order of the file.
static_assert(std::endian::native == std::endian::little, "CBF is little endian");

inline constexpr std::uint64_t kMagic = 0x636E'746B'5F62'696E;
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::int64_t kPrefixSize = 12;       // magic, version
inline constexpr std::int64_t kHeaderFixedSize = 16;  // magic, chunks, streams
inline constexpr std::int64_t kStreamFixedSize = 10;  // storage, name size, element type, dim
inline constexpr std::int64_t kChunkEntrySize = 16;   // offset, sequences, samples
inline constexpr std::int64_t kTrailerSize = 8;       // offset of the header
inline constexpr std::int64_t kCountSize = 4;         // samples, stored entries, lengths
inline constexpr std::int64_t kIndexSize = 4;         // index of an entry

inline constexpr std::int64_t kNameSizeMax = std::int64_t{1} << 20;  // sheaf's own limit

inline constexpr std::uint64_t kChecksMagic = 0x6B68'6366'6165'6873;  // "sheafchk" on disk
inline constexpr std::uint32_t kChecksVersion = 1;

using internal::load;

/// Appends a number.
template <typename T>
requires std::is_arithmetic_v<T>
inline void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

[[nodiscard]] inline std::span<const std::byte> as_bytes(std::string_view text) noexcept {
  return std::as_bytes(std::span(text));
}

}  // namespace sheaf::cbf
